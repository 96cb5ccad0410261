#include "heft/sample_view.hpp"

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

Result<Done> check_motion(const RegressorPlan& plan, const FourierMotion& motion) {
  const Eigen::Index n = plan.robot.num_coordinates();
  const bool fits = motion.centre.size() == n && motion.sine.cols() == n && motion.cosine.cols() == n &&
                    motion.sine.rows() == motion.cosine.rows();
  if (!fits) return Error{"motion", "has not one set of coefficients per coordinate", "match the robot"};
  if (plan.robot.floating_base || plan.num_signals > 0)
    return Error{"motion", "is of the joints alone", "take a fixed base and columns without expressions"};
  return Done{};
}

core::FourierView fourier_view(const FourierMotion& motion) {
  return {static_cast<int>(motion.centre.size()),
          static_cast<int>(motion.sine.rows()),
          motion.frequency,
          motion.begin,
          motion.step,
          motion.centre.data(),
          motion.sine.data(),
          motion.cosine.data()};
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
