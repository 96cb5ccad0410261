#include "model/sample_view.hpp"

namespace heft {

core::SampleView sample_view(const RegressorPlan& plan, const Samples& samples) {
  core::SampleView view{};
  const auto place = [&view](const SampleArray& array, const Eigen::ArrayXXd& numbers) {
    view.*array.view = numbers.size() > 0 ? numbers.data() : nullptr;
  };
  for_each_array(samples, place, kEvaluatedArrays);
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
