// Envelopes of many series over one time axis, in constant memory: bins of equal numbers of
// samples, which double in length whenever there are too many.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "heft/traces/traces.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Minimum and maximum per bin of several series.
class Envelopes {
 public:
  /// Uses at most 2 * `num_bins` bins.
  Envelopes(int num_series, int num_bins) : envelopes_(num_series), max_bins_(2 * num_bins) {}

  /// Adds the next samples: stamps [s] and one column per series; NaN is ignored. If the stamps of
  /// a segment do not continue after the last one, they are shifted behind it.
  void push(int segment, const Eigen::ArrayXd& time, const Eigen::ArrayXXd& values);

  /// Returns the series with this index.
  const Envelope& envelope(int series) const { return envelopes_[series]; }

  /// Writes all members of Traces that concern its time axis.
  void write_axis(Traces& traces) const;

 private:
  void halve();

  std::vector<Envelope> envelopes_;
  int max_bins_;
  long long num_samples_ = 0;
  int samples_per_bin_ = 1;
  double start_ = 0;
  double shift_ = 0, last_ = 0;  ///< shift of the stamps; last shifted stamp
  std::vector<double> time_;
  std::vector<int> segment_;
};

}  // namespace heft
#pragma GCC visibility pop
