// Many series over one time axis, in constant memory: bins of equal numbers of samples that double
// in length whenever they become too many.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "heft/traces/traces.hpp"

#pragma GCC visibility push(default)
namespace heft {

class Envelopes {
 public:
  /// At most 2 * `num_bins` bins.
  Envelopes(int num_series, int num_bins) : envelopes_(num_series), max_bins_(2 * num_bins) {}

  /// The samples that follow: stamps [s] and one column per series; NaN stands for nothing. The
  /// stamps of a segment that does not begin after the last one are moved behind it.
  void push(int segment, const Eigen::ArrayXd& time, const Eigen::ArrayXXd& values);

  /// The series with this number.
  const Envelope& envelope(int series) const { return envelopes_[series]; }

  /// Everything of Traces that concerns its time axis.
  void write_axis(Traces& traces) const;

 private:
  void halve();

  std::vector<Envelope> envelopes_;
  int max_bins_;
  long long num_samples_ = 0;
  int samples_per_bin_ = 1;
  double start_ = 0;
  double shift_ = 0, last_ = 0;  ///< of the stamps; the last one, shifted
  std::vector<double> time_;
  std::vector<int> segment_;
};

}  // namespace heft
#pragma GCC visibility pop
