// Equations over intervals: what a quantity gained between two instants against the mean of its
// rate between them.
//
//   (p(t + T/2) - p(t - T/2)) / T = 1/T int p' dt
//
// One interval around every sample that is kept, as long as a period of the cut-off of the kind's
// low-pass (half its window of a Savitzky-Golay filter), which a mean over it takes the place of.
// Means are by the trapezoidal rule.
#pragma once

#include "heft/rows/backend.hpp"
#include "rows/unfiltered_motion.hpp"

namespace heft {

class SampleIntervals {
 public:
  /// Around samples of a block, made of `motion`.
  SampleIntervals(const UnfilteredMotion& motion, Eigen::Index num_samples);

  /// What columns at all samples of the motion gain over the intervals, per second: num_samples x
  /// columns.
  RowArray gain(const RowArray& columns) const;

  /// Their means over the intervals: num_samples x columns.
  RowArray mean(const RowArray& columns) const;

 private:
  /// Samples of the motion at both ends of interval i; within the motion, beyond which no row
  /// counts (drop_ends).
  Eigen::Index begin(Eigen::Index i) const;
  Eigen::Index end(Eigen::Index i) const;

  const UnfilteredMotion& motion_;
  Eigen::Index num_samples_, half_;
  double step_;
};

}  // namespace heft
