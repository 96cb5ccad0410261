// Makes ErrorBlocks of errors that stream by, in constant memory: blocks double in length whenever
// they become too many.
#pragma once

#include <Eigen/Core>

#include "heft/traces/traces.hpp"

#pragma GCC visibility push(default)
namespace heft {

class BlockSums {
 public:
  /// The samples that follow, num_samples x num_channels; an error that is NaN is that of a row
  /// that was not used.
  void push(const Eigen::ArrayXXd& errors, const Eigen::ArrayXXd& torques);

  const ErrorBlocks& blocks() const { return blocks_; }

  static constexpr int kMaxBlocks = 48;

 private:
  ErrorBlocks blocks_;
  long long num_samples_ = 0;
};

}  // namespace heft
#pragma GCC visibility pop
