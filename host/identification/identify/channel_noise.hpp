// Squared residuals of channels, corrected for the forces that unknown contacts absorb.
//
//   s_c^2 = sum e_c^2 / (sum N_cc - p_c)
//
// N_cc is the share of the variance of channel c that a sample's projection leaves
// (rows/projected_rows.hpp); 1 without contacts. p_c are the degrees of freedom that the fit takes
// (absorbed_rows.hpp).
#pragma once

#include <Eigen/Core>

#include "heft/model/samples.hpp"

namespace heft {

/// Sums over the used rows of every channel.
struct ChannelNoise {
  explicit ChannelNoise(int num_channels)
      : error2(Eigen::VectorXd::Zero(num_channels)), remaining(error2), num_rows(error2) {}

  /// Adds a block; `predicted` num_samples x num_channels.
  void push(const Samples& block, const Eigen::ArrayXXd& predicted);

  /// Returns s_c^2 for p_c `absorbed`; 0 for a channel without rows, or whose rows the fit follows
  /// so closely that their residuals tell nothing.
  Eigen::VectorXd variance(const Eigen::VectorXd& absorbed) const;

  Eigen::VectorXd error2, remaining, num_rows;
};

}  // namespace heft
