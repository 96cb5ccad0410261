#include "model/sample_view.hpp"

namespace heft {

core::SampleView sample_view(const RegressorPlan& plan, const Samples& samples) {
  core::SampleView view{};
  view.position = samples.position.data();
  view.velocity = samples.velocity.data();
  view.acceleration = samples.acceleration.data();
  view.base_motion = samples.base_motion.size() ? samples.base_motion.data() : nullptr;
  view.torque = samples.torque.size() ? samples.torque.data() : nullptr;
  view.weight = samples.weight.size() ? samples.weight.data() : nullptr;
  view.signal = samples.signal.size() ? samples.signal.data() : nullptr;
  view.stride = samples.size();
  for (int i = 0; i < 3; ++i) view.base_constant[6 + i] = -plan.robot.gravity[i];
  return view;
}

ChannelCoefficients channel_coefficients(const RegressorPlan& plan, const Eigen::VectorXd& parameters) {
  const Eigen::VectorXd structural = plan.regrouping * parameters;
  ChannelCoefficients coefficients;
  for (const std::vector<int>& columns : plan.channel_columns) {
    std::vector<double>& channel = coefficients.emplace_back();
    for (int column : columns) channel.push_back(structural[column]);
  }
  return coefficients;
}

}  // namespace heft
