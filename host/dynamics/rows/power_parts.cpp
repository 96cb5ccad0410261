#include "power_parts.hpp"

#include "kinds.hpp"
#include "rows/unfiltered_motion.hpp"

namespace heft {

namespace {

using core::MechanicsRow;

/// Coordinate of every channel that does work at a joint; -1: of none.
std::vector<int> joints_of(const RegressorPlan& plan) {
  std::vector<int> coordinates;
  for (const Channel& channel : plan.channels) coordinates.push_back(channel.coordinate);
  return coordinates;
}

}  // namespace

PowerParts power_parts(const RegressorPlan& plan, const Samples& samples) {
  PowerParts parts;
  MechanicsColumns(plan).put_states(
      samples, {{MechanicsRow::kinetic, 1}, {MechanicsRow::potential, 1}}, parts.energy);
  parts.rest.setZero(parts.energy.rows(), parts.energy.cols());
  parts.measured.setZero(parts.energy.rows(), 1);
  const std::vector<int> joints = joints_of(plan);
  for (const core::FeatureEntry& feature : plan.features) {
    const int joint = joints[feature.channel];
    if (joint < 0) continue;
    const int column = plan.channel_columns[feature.channel][feature.column];
    if (feature.feature == core::Feature::acceleration && feature.source == joint)
      parts.energy.col(column) += 0.5 * samples.velocity.col(joint).square();
    else
      parts.rest.col(column) += samples.velocity.col(joint) * feature_values(feature, samples);
  }
  for (std::size_t c = 0; c < joints.size(); ++c)
    if (joints[c] >= 0)
      parts.measured +=
          samples.velocity.col(joints[c]) * samples.torque.col(static_cast<Eigen::Index>(c));
  return parts;
}

MadeRows balance_of_joints(const RegressorPlan& plan, const Samples& block, RowArray rows) {
  MadeRows made;
  made.weight = Eigen::ArrayXXd::Zero(block.size(), plan.num_channels());
  made.weight.col(0) = 1;
  const std::vector<int> joints = joints_of(plan);
  for (std::size_t c = 0; c < joints.size(); ++c)
    if (joints[c] >= 0)
      made.weight.col(0) = made.weight.col(0).min(block.weight.col(static_cast<Eigen::Index>(c)));
  drop_ends(*block.unfiltered, made.weight);
  rows.colwise() *= made.weight.col(0);
  const PlanPtr mixed = plan_of_rows(kPowerRows, std::make_shared<const RegressorPlan>(plan));
  for (const std::vector<int>& columns : mixed->channel_columns)
    made.rows.push_back(
        RowArray::Zero(block.size(), static_cast<Eigen::Index>(columns.size()) + 1));
  const std::vector<int>& columns = mixed->channel_columns.front();
  for (std::size_t k = 0; k < columns.size(); ++k)
    made.rows.front().col(static_cast<Eigen::Index>(k)) = rows.col(columns[k]);
  made.rows.front().rightCols(1) = rows.rightCols(1);
  return made;
}

}  // namespace heft
