// Squared residuals of channels, corrected for the forces that unknown contacts absorb.
//
//   s_c^2 = sum e_c^2 / sum N_cc
//
// N_cc is the share of the variance of channel c that a sample's projection leaves
// (rows/projected_rows.hpp); 1 without contacts.
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

  /// Returns s_c^2; 0 for a channel without rows.
  Eigen::VectorXd variance() const;

  Eigen::VectorXd error2, remaining, num_rows;
};

}  // namespace heft
