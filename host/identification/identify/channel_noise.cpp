#include "channel_noise.hpp"

#include <optional>

#include "rows/projected_rows.hpp"

namespace heft {

void ChannelNoise::push(const Samples& block, const Eigen::ArrayXXd& predicted) {
  std::optional<NullSpace> null_space;
  if (has_unknown_wrenches(block))
    null_space.emplace(*block.unfiltered->unknown_wrenches, used_channels(block));
  Eigen::VectorXd share = Eigen::VectorXd::Ones(error2.size());
  for (Eigen::Index i = 0; i < block.size(); ++i) {
    if (null_space) {
      const UnfilteredMotion& motion = *block.unfiltered;
      null_space->set(motion.samples, motion.first + i * motion.step);
      share.setOnes();
      share(null_space->channels()) = null_space->remaining();
    }
    for (Eigen::Index c = 0; c < error2.size(); ++c) {
      if (block.weight(i, c) == 0) continue;
      const double e = block.torque(i, c) - predicted(i, c);
      error2[c] += e * e;
      remaining[c] += share[c];
      num_rows[c] += 1;
    }
  }
}

Eigen::VectorXd ChannelNoise::variance() const {
  Eigen::VectorXd s2(error2.size());
  for (Eigen::Index c = 0; c < s2.size(); ++c)
    s2[c] = remaining[c] > 1 ? error2[c] / remaining[c] : 0;
  return s2;
}

}  // namespace heft
