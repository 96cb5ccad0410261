// One channel's part of the normal equations at given parameters, without the matrix.
#pragma once

#include <Eigen/Core>

#include "heft/moments/moments.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// The unweighted normal equations G x = b of one channel, at some x.
struct ChannelScores {
  Eigen::VectorXd predicted;  ///< G x
  Eigen::VectorXd score;      ///< b - G x
};

/// `channel` is an index into plan->channels; `parameters` has the length of the layout. The
/// moments must be per channel.
ChannelScores channel_scores(const Moments& moments, int channel,
                             const Eigen::VectorXd& parameters);

}  // namespace heft
#pragma GCC visibility pop
