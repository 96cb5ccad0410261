#include "heft/signal/smoother.hpp"

#include <algorithm>
#include <cmath>

#include "base/likely_time_unit.hpp"
#include "base/number_text.hpp"
#include "heft/core/conditioning.hpp"
#include "signal/savitzky_golay.hpp"

namespace heft {

namespace {

// Distance of the cutoff from zero and from half the rate, relative to the rate: if closer, the
// filter's response exceeds the memory.
constexpr double kNearest = 1e-5;

/// How to correct a cutoff above half the rate: stamps in another unit than seconds make a rate far
/// below that of any robot's log.
std::string remedy_of_high_cutoff(double rate_hz) {
  const std::string filter = "choose a lower cutoff, a higher resample_hz, or the filter \"none\"";
  const std::string unit = likely_time_unit(rate_hz);
  if (unit.empty()) return filter + "; stamps that are not in seconds need log.time_unit";
  return "if the stamps are not in seconds, set log.time_unit: " + unit +
         ", which makes the rate " + number_text(rate_hz * units_per_second(unit), 4) + " Hz" +
         (std::abs(rate_hz - 1) < 1e-9 ? "; if they count the rows, set log.rate_hz" : "") +
         "; otherwise " + filter;
}

}  // namespace

Result<Smoother> Smoother::make(const FilterOptions& options, double cutoff_hz, double rate_hz,
                                const std::string& option) {
  Smoother smoother;
  if (options.kind == FilterKind::butterworth) {
    const double cutoff = cutoff_hz / rate_hz;
    if (!(cutoff > 0 && cutoff <= 0.5 - kNearest))
      return Error{option,
                   "cutoff " + number_text(cutoff_hz) +
                       " Hz is out of range; it must be between 0 and " + number_text(rate_hz / 2) +
                       " Hz, half the sample rate",
                   remedy_of_high_cutoff(rate_hz)};
    if (cutoff < kNearest)
      return Error{option,
                   "cutoff " + number_text(cutoff_hz) + " Hz is less than " +
                       number_text(kNearest) + " of the sample rate of " + number_text(rate_hz) +
                       " Hz: the filter would need more memory than is available",
                   "choose a higher cutoff or a lower resample_hz"};
    smoother.sections_ = butterworth_lowpass(options.butterworth_order, cutoff);
    smoother.padding_ = padding_samples(options.butterworth_order);
    smoother.min_samples_ = smoother.padding_ + 1;
    smoother.reach_ = decay_samples(options.butterworth_order, cutoff);
    smoother.nan_radius_ = static_cast<int>(std::ceil(1 / cutoff));
  } else if (options.kind == FilterKind::savitzky_golay) {
    smoother.projection_ = savitzky_golay_projection(options.savgol_window, options.savgol_order);
    smoother.min_samples_ = options.savgol_window;
    smoother.reach_ = options.savgol_window;
    smoother.nan_radius_ = options.savgol_window / 2;
  }
  return smoother;
}

void Smoother::apply(Eigen::Ref<Eigen::ArrayXd> signal, Eigen::ArrayXd& scratch) const {
  if (!sections_.empty()) filter_forward_backward(sections_, padding_, signal, scratch);
  if (projection_.size() > 0) smooth_savitzky_golay(projection_, signal, scratch);
}

void Smoother::apply_to_rows(
    const Eigen::Ref<const RowMajorArray, 0, Eigen::OuterStride<>>& columns, Eigen::Index first,
    Eigen::Index step, Eigen::Ref<RowMajorArray, 0, Eigen::OuterStride<>> smoothed,
    Eigen::ArrayXXd& scratch) const {
  const Eigen::Index n = columns.rows(), count = columns.cols();
  if (scratch.rows() != kSignalLanes || scratch.cols() != n + 2 * padding_)
    scratch.resize(kSignalLanes, n + 2 * padding_);
  auto lanes = scratch.middleCols(padding_, n);
  if (count == kSignalLanes) {  // nearly always, and then the compiler knows how many
    for (Eigen::Index i = 0; i < n; ++i)
      lanes.col(i).head<kSignalLanes>() = columns.row(i).head<kSignalLanes>().transpose();
  } else {
    lanes.topRows(count) = columns.transpose();
    lanes.bottomRows(kSignalLanes - count).setZero();
  }
  if (!sections_.empty()) filter_forward_backward(sections_, padding_, scratch);
  if (projection_.size() > 0) {
    Eigen::ArrayXd signal, memory;
    for (Eigen::Index lane = 0; lane < count; ++lane) {
      signal = lanes.row(lane);
      smooth_savitzky_golay(projection_, signal, memory);
      lanes.row(lane) = signal;
    }
  }
  for (Eigen::Index i = 0; i < smoothed.rows(); ++i)
    smoothed.row(i) = lanes.col(first + i * step).head(count).transpose();
}

void Smoother::apply_to_columns(const Eigen::Ref<const Eigen::ArrayXXd>& columns,
                                Eigen::Ref<Eigen::ArrayXXd> smoothed,
                                Eigen::ArrayXXd& scratch) const {
  if (!sections_.empty()) {
    filter_columns_forward_backward(sections_, padding_, columns, smoothed, scratch);
    return;
  }
  smoothed = columns;  // by itself, where they are one array
  Eigen::ArrayXd memory;
  if (projection_.size() > 0)
    for (Eigen::Index k = 0; k < columns.cols(); ++k)
      smooth_savitzky_golay(projection_, smoothed.col(k), memory);
}

void differentiate(const Eigen::Ref<const Eigen::ArrayXd>& signal, double step,
                   Eigen::ArrayXd& derivative) {
  const Eigen::Index n = signal.size();
  derivative.resize(n);
  const double* const values = signal.data();
  double* const derivatives = derivative.data();
  derivatives[0] = core::derivative_at(values, Eigen::Index{0}, n, step);
  for (Eigen::Index i = 1; i < n - 1; ++i)
    derivatives[i] = core::central_difference(values[i - 1], values[i + 1], step);
  derivatives[n - 1] = core::derivative_at(values, n - 1, n, step);
}

}  // namespace heft
