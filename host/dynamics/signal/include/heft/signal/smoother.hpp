// A low-pass at a given rate, of whichever kind, and the derivative that follows it.
// Threads: a Smoother never changes once it is made: any number of threads may use it.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/signal/butterworth.hpp"

#pragma GCC visibility push(default)
namespace heft {

enum class FilterKind { none, butterworth, savitzky_golay };

struct FilterOptions {
  FilterKind kind = FilterKind::butterworth;
  int butterworth_order = 4;  ///< per direction; applied forward and backward
  int savgol_window = 21;     ///< samples, odd
  int savgol_order = 3;       ///< of the polynomials
};

class Smoother {
 public:
  /// Orders and windows must be as butterworth_lowpass and savitzky_golay_projection take them.
  /// Errors of a Butterworth filter: a cut-off that is not above 1e-5 of the sampling rate and that
  /// much below half of it; `option` is its name, to blame.
  static Result<Smoother> make(const FilterOptions& options, double cutoff_hz, double rate_hz,
                               const std::string& option);

  /// Smooths in place a signal of at least min_samples(); `scratch` is resized as needed.
  void apply(Eigen::Ref<Eigen::ArrayXd> signal, Eigen::ArrayXd& scratch) const;

  using RowMajorArray = Eigen::Array<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  /// At most kSignalLanes columns of an array that lies row by row, as if each were alone, to the
  /// last bit. Of what comes out rows first, first + step, .. are kept, as many as `smoothed` has;
  /// `scratch` is resized as needed.
  void apply_to_rows(const Eigen::Ref<const RowMajorArray, 0, Eigen::OuterStride<>>& columns,
                     Eigen::Index first, Eigen::Index step,
                     Eigen::Ref<RowMajorArray, 0, Eigen::OuterStride<>> smoothed,
                     Eigen::ArrayXXd& scratch) const;

  /// smoothed = columns, each smoothed as if it were alone, to the last bit. Both have the same
  /// shape; `scratch` is resized as needed. They may be one array.
  void apply_to_columns(const Eigen::Ref<const Eigen::ArrayXXd>& columns,
                        Eigen::Ref<Eigen::ArrayXXd> smoothed, Eigen::ArrayXXd& scratch) const;

  int min_samples() const { return min_samples_; }

  /// Samples beyond which one value does not change another in double precision.
  int reach() const { return reach_; }

  /// Samples over which a wrong value is felt in practice: one period of the cut-off, or half a
  /// window.
  int nan_radius() const { return nan_radius_; }

 private:
  std::vector<Biquad> sections_;
  Eigen::MatrixXd projection_;
  int padding_ = 0;
  int min_samples_ = 1;
  int reach_ = 0;
  int nan_radius_ = 0;
};

/// Differences of a signal with the given step h [s]; at least two samples:
///   x'_i = (x_{i+1} - x_{i-1}) / (2 h)
/// and one-sided differences at both ends. `derivative` is resized.
void differentiate(const Eigen::Ref<const Eigen::ArrayXd>& signal, double step,
                   Eigen::ArrayXd& derivative);

}  // namespace heft
#pragma GCC visibility pop
