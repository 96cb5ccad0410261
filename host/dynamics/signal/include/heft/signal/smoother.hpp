// A low-pass at a given rate, of whichever kind, and the derivative that follows it; the
// Butterworth filter by itself. Threads: a Smoother never changes once it is made: any number of
// threads may use it; the rest is plain values and functions without memory.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "heft/base/result.hpp"

#pragma GCC visibility push(default)
namespace heft {

// Butterworth low-pass as second-order sections, run forward and backward: no phase, twice the
// order.
//
// Bilinear transform with the cut-off prewarped, one section per pole pair, of unit gain at rest:
//
//   K    = tan(pi fc / fs)
//   zeta = sin(pole angle)
//   H(z) = K^2 (1 + z^-1)^2 / ((1 + 2 zeta K + K^2) + 2 (K^2 - 1) z^-1 + (1 - 2 zeta K + K^2) z^-2)
//
// Ends are padded by odd reflection and the states start at rest on the first padded value
// (Gustafsson 1996 approximated), with the same padding length as scipy.signal.sosfiltfilt.

/// A second-order section of a filter:
///   y = (b0 + b1 z^-1 + b2 z^-2) / (1 + a1 z^-1 + a2 z^-2) x, b summing to 1 + a1 + a2.
struct Biquad {
  double b0 = 1, b1 = 0, b2 = 0, a1 = 0, a2 = 0;
};

/// How many signals go through a section side by side.
inline constexpr int kSignalLanes = 8;

/// Low-pass of `order` >= 1 with the cut-off as a share of the sampling rate, 0 < cutoff < 0.5.
std::vector<Biquad> butterworth_lowpass(int order, double cutoff);

/// Samples that the slowest pole of the filter needs to fall to e^-36 < 3e-16: beyond that distance
/// a sample does not change another. For order 4 about 36 / (w_c sin(pi/8)) seconds (FORMULAS 7).
int decay_samples(int order, double cutoff);

/// Samples padded at each end: 3 (order + 1). A signal must be longer than that.
int padding_samples(int order);

/// Filters `signal` in place, forward then backward. `scratch` is resized as needed.
void filter_forward_backward(const std::vector<Biquad>& sections, int padding,
                             Eigen::Ref<Eigen::ArrayXd> signal, Eigen::ArrayXd& scratch);

/// The same in place for signals side by side, a row each and a column a sample, each as if it were
/// alone, to the last bit: kSignalLanes x (samples + 2 padding), with room for the padding before
/// and behind the samples.
void filter_forward_backward(const std::vector<Biquad>& sections, int padding,
                             Eigen::ArrayXXd& padded);

/// filtered = columns, each as if it were alone, to the last bit; as many columns at a time as
/// there are lanes. `scratch` is resized as needed.
void filter_columns_forward_backward(const std::vector<Biquad>& sections, int padding,
                                     const Eigen::Ref<const Eigen::ArrayXXd>& columns,
                                     Eigen::Ref<Eigen::ArrayXXd> filtered,
                                     Eigen::ArrayXXd& scratch);

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
