// d/dt (Y_K x + Y_U x) + qd' friction = qd' torque, both through a low-pass: one row a sample, the balance of the whole
// robot's energy. FORMULAS 4.
//
// A column that multiplies a joint's own acceleration is the derivative of half its squared velocity.
#include "heft/core/regressor.hpp"
#include "kinds.hpp"
#include "mechanics_columns.hpp"
#include "row_filter.hpp"
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

/// Power of the extra columns, what is to be differentiated apart.
void add_features(const RegressorPlan& plan, const Samples& samples, RowArray& rates, RowArray& rows) {
  const std::vector<int> joints = joints_of(plan);
  for (const core::FeatureEntry& feature : plan.features) {
    const int joint = joints[feature.channel];
    if (joint < 0) continue;
    const int column = plan.channel_columns[feature.channel][feature.column];
    if (feature.feature == core::Feature::acceleration && feature.source == joint) {
      rates.col(column) += 0.5 * samples.velocity.col(joint).square();
      continue;
    }
    for (Eigen::Index i = 0; i < samples.size(); ++i)
      rows(i, column) +=
          samples.velocity(i, joint) * core::feature_value<double>(feature, SampleAt{samples, i});
  }
}

/// Power rows at every sample, that of the measured torques last.
RowArray power_at(const RegressorPlan& plan, const Samples& samples) {
  RowArray rates;
  MechanicsColumns(plan).put_states(samples, {{MechanicsRow::kinetic, 1}, {MechanicsRow::potential, 1}},
                                    rates);
  RowArray rows = RowArray::Zero(rates.rows(), rates.cols() + 1);
  add_features(plan, samples, rates, rows);
  differentiate_columns(step_of(samples), rates);
  rows.leftCols(rates.cols()) += rates;
  const std::vector<int> joints = joints_of(plan);
  for (std::size_t c = 0; c < joints.size(); ++c)
    if (joints[c] >= 0)
      rows.rightCols(1) += samples.velocity.col(joints[c]) * samples.torque.col(static_cast<Eigen::Index>(c));
  return rows;
}

Result<Done> make(const RegressorPlan& plan, const Samples& block, Backend& /*backend*/, MadeRows& made) {
  HEFT_CHECK(require_standing_base(plan, kPowerRows));
  const UnfilteredMotion& motion = *block.unfiltered;
  const RowArray unfiltered = power_at(plan, motion.samples);
  RowArray rows(block.size(), unfiltered.cols());
  for (Eigen::Index column = 0; column < unfiltered.cols(); column += kSignalLanes)
    filter_columns(unfiltered, motion, column, rows);

  // a balance needs every torque
  made.weight = Eigen::ArrayXXd::Zero(block.size(), plan.num_channels());
  made.weight.col(0) = 1;
  const std::vector<int> joints = joints_of(plan);
  for (std::size_t c = 0; c < joints.size(); ++c)
    if (joints[c] >= 0)
      made.weight.col(0) = made.weight.col(0).min(block.weight.col(static_cast<Eigen::Index>(c)));
  drop_ends(motion, made.weight);
  rows.colwise() *= made.weight.col(0);
  const PlanPtr mixed = plan_of_rows(kPowerRows, std::make_shared<const RegressorPlan>(plan));
  made.rows.clear();
  for (const std::vector<int>& columns : mixed->channel_columns)
    made.rows.push_back(RowArray::Zero(block.size(), static_cast<Eigen::Index>(columns.size()) + 1));
  const std::vector<int>& columns = mixed->channel_columns.front();
  for (std::size_t k = 0; k < columns.size(); ++k)
    made.rows.front().col(static_cast<Eigen::Index>(k)) = rows.col(columns[k]);
  made.rows.front().rightCols(1) = rows.rightCols(1);
  return Done{};
}

}  // namespace

const RowKind kPowerRows{.name = "power",
                         .is_of = "power of all joints, one row a sample",
                         .needs_motion_around = true,
                         .mixes_channels = true,
                         .make = make};

}  // namespace heft
