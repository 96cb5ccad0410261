// Equations over intervals: the change of a quantity between two instants equals the mean of its
// rate between them.
//
//   (p(t + T/2) - p(t - T/2)) / T = 1/T int p' dt
//
// Each kept sample has one interval, one period of the cutoff of the kind's low-pass long (half
// the window of a Savitzky-Golay filter); the mean over it replaces that filter. Means use the
// trapezoidal rule.
#pragma once

#include "heft/rows/backend.hpp"
#include "rows/unfiltered_motion.hpp"

namespace heft {

class SampleIntervals {
 public:
  /// Intervals around the samples of a block computed from `motion`.
  SampleIntervals(const UnfilteredMotion& motion, Eigen::Index num_samples);

  /// Returns the change of columns over the intervals, per second, from all samples of the motion:
  /// num_samples x columns.
  RowArray gain(const RowArray& columns) const;

  /// Returns the means over the intervals: num_samples x columns.
  RowArray mean(const RowArray& columns) const;

 private:
  /// Samples of the motion at both ends of interval i, limited to the motion; rows at its ends are
  /// not used (drop_ends).
  Eigen::Index begin(Eigen::Index i) const;
  Eigen::Index end(Eigen::Index i) const;

  const UnfilteredMotion& motion_;
  Eigen::Index num_samples_, half_;
  double step_;
};

}  // namespace heft
