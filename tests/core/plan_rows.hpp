// Evaluates a plan's rows with core/ on one sample in plain doubles: structural rows, then all
// parameters through the regrouping matrix.
#pragma once

#include <limits>
#include <vector>

#include "heft/core/regressor.hpp"
#include "heft/model/regressor_plan.hpp"
#include "tests/oracle/motion.hpp"

namespace heft::testing {

/// One sample of a motion, every row at the given weight, no torque and no signals.
struct MotionInput {
  const oracle::Motion& motion;
  double row_weight = 1;

  double position(int k) const { return motion.q[k]; }
  double velocity(int k) const { return motion.qd[k]; }
  double acceleration(int k) const { return motion.qdd[k]; }
  double base_motion(int i) const {
    const Eigen::Vector3d* parts[3] = {&motion.base_angular_velocity,
                                       &motion.base_angular_acceleration,
                                       &motion.base_specific_force};
    return (*parts[i / 3])[i % 3];
  }
  double weight(int) const { return row_weight; }
  double torque(int) const { return 0; }
  double signal(int) const { return 0; }
};

struct RowSink {
  std::vector<std::vector<double>> rows;

  struct Row {
    double* first;
    void put(int k, double value) { first[k] = value; }
  };
  Row row(const core::RowEntry& entry) { return {rows[entry.channel].data() + entry.column}; }
  void put_feature(const core::FeatureEntry& entry, double value) {
    rows[entry.channel][entry.column] = value;
  }
  void put_torque(int channel, double value) { rows[channel].back() = value; }
};

/// num_channels x num_parameters; NaN wherever core/ did not write.
inline Eigen::MatrixXd plan_rows(const RegressorPlan& plan, const oracle::Motion& motion,
                                 double weight = 1) {
  const core::TreeView tree = plan.view();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  RowSink sink;
  for (const core::ChannelEntry& channel : plan.channel_entries)
    sink.rows.emplace_back(channel.width, nan);
  std::vector<double> memory(core::workspace_size(tree), nan);
  auto workspace = [&](int i) -> double& { return memory[i]; };
  core::put_regressor_rows<double>(tree, MotionInput{motion, weight}, workspace, sink);
  Eigen::MatrixXd structural =
      Eigen::MatrixXd::Zero(plan.num_channels(), plan.num_structural_columns());
  for (int c = 0; c < plan.num_channels(); ++c)
    for (std::size_t i = 0; i < plan.channel_columns[c].size(); ++i)
      structural(c, plan.channel_columns[c][i]) += sink.rows[c][i];
  return structural * plan.regrouping;
}

}  // namespace heft::testing
