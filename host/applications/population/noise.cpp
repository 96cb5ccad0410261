#include "population/noise.hpp"

#include "base/median.hpp"

namespace heft {

namespace {

constexpr double kQuietest = 0.5;  ///< of the population median of the noise

}  // namespace

Eigen::VectorXd most_weights(const std::vector<Eigen::VectorXd>& weights) {
  Eigen::VectorXd most(weights.front().size());
  for (Eigen::Index c = 0; c < most.size(); ++c) {
    std::vector<double> of_channel;
    for (const Eigen::VectorXd& robot : weights) of_channel.push_back(robot[c]);
    most[c] = median(std::move(of_channel)) / (kQuietest * kQuietest);
  }
  return most;
}

}  // namespace heft
