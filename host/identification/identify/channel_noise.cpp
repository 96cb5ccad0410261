#include "channel_noise.hpp"

#include <algorithm>

#include "rows/projected_rows.hpp"

namespace heft {

void ChannelNoise::push(const Samples& block, const Eigen::ArrayXXd& predicted) {
  const bool is_projected = has_unknown_wrenches(block);
  const Eigen::ArrayXXd weight = is_projected ? projected_weight(block) : block.weight;
  const Eigen::ArrayXXd used = (weight != 0).cast<double>();
  const auto sum = [](const Eigen::ArrayXXd& rows) {
    return rows.colwise().sum().matrix().transpose().eval();
  };
  // a torque that is not used need not be a number
  error2 += sum((weight != 0).select((block.torque - predicted).square(), 0.0));
  remaining += sum(is_projected ? remaining_shares(block) : used);
  num_rows += sum(used);
}

Eigen::VectorXd ChannelNoise::variance(const Eigen::VectorXd& absorbed) const {
  constexpr double kLeastShare = 0.05;  // of the rows, to estimate a variance from
  Eigen::VectorXd s2(error2.size());
  for (Eigen::Index c = 0; c < s2.size(); ++c) {
    const double degrees = remaining[c] - absorbed[c];
    s2[c] = degrees > std::max(1.0, kLeastShare * remaining[c]) ? error2[c] / degrees : 0;
  }
  return s2;
}

}  // namespace heft
