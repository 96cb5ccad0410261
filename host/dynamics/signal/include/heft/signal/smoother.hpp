// Low-pass filters of several kinds at a given rate, the derivative that follows them, and the
// Butterworth filter by itself. Threads: a Smoother is immutable and may be shared; everything else
// is stateless.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "heft/base/result.hpp"

#pragma GCC visibility push(default)
namespace heft {

// Butterworth low-pass as second-order sections, run forward and backward: zero phase, twice the
// order.
//
// Bilinear transform with the cutoff prewarped, one section per pole pair, of unit gain at rest:
//
//   K    = tan(pi fc / fs)
//   zeta = sin(pole angle)
//   H(z) = K^2 (1 + z^-1)^2 / ((1 + 2 zeta K + K^2) + 2 (K^2 - 1) z^-1 + (1 - 2 zeta K + K^2) z^-2)
//
// Ends are padded by odd reflection, and the states start at rest on the first padded value (an
// approximation of Gustafsson 1996), with the padding length of scipy.signal.sosfiltfilt.

/// A second-order section of a filter:
///   y = (b0 + b1 z^-1 + b2 z^-2) / (1 + a1 z^-1 + a2 z^-2) x, b summing to 1 + a1 + a2.
struct Biquad {
  double b0 = 1, b1 = 0, b2 = 0, a1 = 0, a2 = 0;
};

/// Signals that pass through a section side by side.
inline constexpr int kSignalLanes = 8;

/// Returns the sections of a low-pass of `order` >= 1; `cutoff` is a fraction of the sampling rate,
/// 0 < cutoff < 0.5.
std::vector<Biquad> butterworth_lowpass(int order, double cutoff);

/// Returns the number of samples in which the slowest pole of the filter decays to e^-36 < 3e-16;
/// samples further apart do not influence each other. About 36 / (w_c sin(pi/8)) seconds for order
/// 4 (FORMULAS 7).
int decay_samples(int order, double cutoff);

/// Returns the number of samples padded at each end, 3 (order + 1). A signal must be longer than
/// that.
int padding_samples(int order);

/// Filters `signal` in place, forward then backward. `scratch` is resized as needed.
void filter_forward_backward(const std::vector<Biquad>& sections, int padding,
                             Eigen::Ref<Eigen::ArrayXd> signal, Eigen::ArrayXd& scratch);

/// Filters kSignalLanes signals in place, each bitwise as if it were filtered alone. `padded` is
/// kSignalLanes x (samples + 2 padding): one row per signal, one column per sample, with room for
/// the padding before and behind the samples.
void filter_forward_backward(const std::vector<Biquad>& sections, int padding,
                             Eigen::ArrayXXd& padded);

/// Sets filtered = columns, each filtered bitwise as if it were alone, kSignalLanes columns at a
/// time. `scratch` is resized as needed.
void filter_columns_forward_backward(const std::vector<Biquad>& sections, int padding,
                                     const Eigen::Ref<const Eigen::ArrayXXd>& columns,
                                     Eigen::Ref<Eigen::ArrayXXd> filtered,
                                     Eigen::ArrayXXd& scratch);

/// The kinds of low-pass.
enum class FilterKind { none, butterworth, savitzky_golay };

/// The kind of low-pass, and its order or window.
struct FilterOptions {
  FilterKind kind = FilterKind::butterworth;
  int butterworth_order = 4;  ///< per direction; applied forward and backward
  int savgol_window = 21;     ///< samples, odd
  int savgol_order = 3;       ///< of the polynomials
};

/// A low-pass at a given rate.
class Smoother {
 public:
  /// Makes a filter. Orders and windows must satisfy butterworth_lowpass and
  /// savitzky_golay_projection. Error for a Butterworth filter: a cutoff outside 1e-5 to 0.5 -
  /// 1e-5 of the sampling rate; the message names `option`.
  static Result<Smoother> make(const FilterOptions& options, double cutoff_hz, double rate_hz,
                               const std::string& option);

  /// Smooths a signal of at least min_samples() in place. `scratch` is resized as needed.
  void apply(Eigen::Ref<Eigen::ArrayXd> signal, Eigen::ArrayXd& scratch) const;

  using RowMajorArray = Eigen::Array<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  /// Smooths at most kSignalLanes columns of a row-major array, each bitwise as if it were alone,
  /// and keeps rows first, first + step, .. of the result, as many as `smoothed` has. `scratch` is
  /// resized as needed.
  void apply_to_rows(const Eigen::Ref<const RowMajorArray, 0, Eigen::OuterStride<>>& columns,
                     Eigen::Index first, Eigen::Index step,
                     Eigen::Ref<RowMajorArray, 0, Eigen::OuterStride<>> smoothed,
                     Eigen::ArrayXXd& scratch) const;

  /// Sets smoothed = columns, each smoothed bitwise as if it were alone. Both have the same shape
  /// and may be the same array. `scratch` is resized as needed.
  void apply_to_columns(const Eigen::Ref<const Eigen::ArrayXXd>& columns,
                        Eigen::Ref<Eigen::ArrayXXd> smoothed, Eigen::ArrayXXd& scratch) const;

  int min_samples() const { return min_samples_; }

  /// Returns the distance in samples beyond which values do not influence each other in double
  /// precision.
  int reach() const { return reach_; }

  /// Returns the distance in samples within which a wrong value has a noticeable effect: one period
  /// of the cutoff, or half a window.
  int nan_radius() const { return nan_radius_; }

 private:
  std::vector<Biquad> sections_;
  Eigen::MatrixXd projection_;
  int padding_ = 0;
  int min_samples_ = 1;
  int reach_ = 0;
  int nan_radius_ = 0;
};

/// Differentiates a signal with step h [s] and at least two samples:
///   x'_i = (x_{i+1} - x_{i-1}) / (2 h)
/// with one-sided differences at both ends. `derivative` is resized.
void differentiate(const Eigen::Ref<const Eigen::ArrayXd>& signal, double step,
                   Eigen::ArrayXd& derivative);

}  // namespace heft
#pragma GCC visibility pop
