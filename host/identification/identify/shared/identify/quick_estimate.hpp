// The parameters of an identification without its comparisons and intervals, for rows that depend
// on them.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "heft/identify/identify.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Result of quick_estimate().
struct QuickEstimate {
  Eigen::VectorXd parameters;         ///< of the layout
  std::vector<double> channel_noise;  ///< see channel_noise(); empty without unknown wrenches
};

/// Returns the parameters that identify() returns, from one pass over the training logs. Errors:
/// those of identify().
Result<QuickEstimate> quick_estimate(const IdentifyRequest& request);

}  // namespace heft
#pragma GCC visibility pop
