#include "suspicious_channels.hpp"

#include <algorithm>

namespace heft {

namespace {

constexpr double kMinRelativePrice = 0.1;  ///< of the residual cost: below, nothing is wrong enough
                                           ///< to blame anybody
constexpr double kRelief = 0.25;  ///< share of the price that may be left without the channel

}  // namespace

Result<std::vector<int>> suspicious_channels(const TrainingData& data,
                                             const Eigen::VectorXd& channel_weights,
                                             const Setup& setup, const Solving& solving,
                                             const PriceOfPhysics& price) {
  const bool is_whitened = data.plan->whitened_from != nullptr;  // then a channel of the data is of
                                                                 // several joints
  const bool is_alone = (channel_weights.array() > 0).count() < 2;  // without it there is nothing
  if (is_whitened || is_alone || !(price.relative > kMinRelativePrice)) return std::vector<int>{};
  std::vector<Problem> problems;
  for (Eigen::Index left_out = 0; left_out < channel_weights.size(); ++left_out) {
    Eigen::VectorXd weights = channel_weights;
    weights[left_out] = 0;
    const NormalEquations equations = normal_equations(data.moments, weights);
    HEFT_TRY(problem, make_problem(data.plan->layout, equations, setup.prior, setup.constraints));
    problems.push_back(std::move(problem));
  }
  HEFT_TRY(solutions, solving.executor.solve("suspicious channels", problems, solving.options,
                                             solving.progress));

  std::vector<std::pair<double, int>> by_price;
  for (std::size_t c = 0; c < problems.size(); ++c) {
    const auto without = price_of_physics(problems[c], solutions[c]);
    if (without && without->relative < kRelief * price.relative)
      by_price.emplace_back(without->relative, static_cast<int>(c));
  }
  std::sort(by_price.begin(), by_price.end());
  std::vector<int> suspects;
  for (const auto& [relative, channel] : by_price) suspects.push_back(channel);
  return suspects;
}

}  // namespace heft
