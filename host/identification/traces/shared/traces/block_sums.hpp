// Computes ErrorBlocks from a stream of errors in constant memory: blocks double in length whenever
// there are too many.
#pragma once

#include <Eigen/Core>

#include "heft/traces/traces.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Sums squared errors in blocks.
class BlockSums {
 public:
  /// Adds the errors of the next samples, num_samples x num_channels; NaN marks an unused row.
  void push(const Eigen::ArrayXXd& errors, const Eigen::ArrayXXd& torques);

  const ErrorBlocks& blocks() const { return blocks_; }

  static constexpr int kMaxBlocks = 48;

 private:
  ErrorBlocks blocks_;
  long long num_samples_ = 0;
};

}  // namespace heft
#pragma GCC visibility pop
