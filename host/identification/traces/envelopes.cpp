#include "traces/envelopes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heft {

namespace {

constexpr float kNothing = std::numeric_limits<float>::quiet_NaN();

/// Extremes of some numbers; NaN is ignored.
struct Range {
  double lower = std::numeric_limits<double>::infinity(),
         upper = -std::numeric_limits<double>::infinity();

  void add(double value) {
    lower = value < lower ? value : lower;
    upper = value > upper ? value : upper;
  }
  bool has_number() const { return lower <= upper; }
};

/// Several ranges side by side: comparisons do not wait for each other.
Range range_of(const double* values, Eigen::Index count) {
  constexpr Eigen::Index kLanes = 8;
  Range lanes[kLanes];
  Eigen::Index i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (Eigen::Index k = 0; k < kLanes; ++k) lanes[k].add(values[i + k]);
  for (; i < count; ++i) lanes[0].add(values[i]);
  Range all;
  for (const Range& lane : lanes)
    all = {std::min(all.lower, lane.lower), std::max(all.upper, lane.upper)};
  return all;
}

/// Two bins become one; fmin and fmax take the number where the other is NaN.
template <class T, class Combine>
void merge_pairs(std::vector<T>& bins, const Combine& combine) {
  const std::size_t half = (bins.size() + 1) / 2;
  for (std::size_t k = 0; k < half; ++k)
    bins[k] = 2 * k + 1 < bins.size() ? combine(bins[2 * k], bins[2 * k + 1]) : bins[2 * k];
  bins.resize(half);
}

}  // namespace

void Envelopes::push(int segment, const Eigen::ArrayXd& time, const Eigen::ArrayXXd& values) {
  if (time.size() == 0) return;
  if (num_samples_ == 0) {
    start_ = time[0];
  } else if (segment != segment_.back() && !(time[0] + shift_ > last_)) {
    // another log: it begins where the last one ended
    shift_ = last_ - time[0] + (time.size() > 1 ? time[1] - time[0] : 0);
  }
  last_ = time[time.size() - 1] + shift_;

  const long long end = num_samples_ + time.size();
  while ((end - 1) / samples_per_bin_ >= max_bins_) halve();
  const auto num_bins = static_cast<std::size_t>((end - 1) / samples_per_bin_ + 1);
  for (std::size_t bin = time_.size(); bin < num_bins; ++bin) {
    // halving may leave the last bin half filled, so that new bins begin within this block
    const auto first = static_cast<long long>(bin) * samples_per_bin_ - num_samples_;
    time_.push_back(time[first] + shift_ - start_);
    segment_.push_back(segment);
  }
  for (std::size_t s = 0; s < envelopes_.size(); ++s) {
    Envelope& envelope = envelopes_[s];
    envelope.lower.resize(num_bins, kNothing);
    envelope.upper.resize(num_bins, kNothing);
    const double* const column = values.col(static_cast<Eigen::Index>(s)).data();
    for (Eigen::Index i = 0; i < time.size();) {
      const long long bin = (num_samples_ + i) / samples_per_bin_;
      const auto count =
          std::min<Eigen::Index>((bin + 1) * samples_per_bin_ - num_samples_ - i, time.size() - i);
      const Range range = range_of(column + i, count);
      i += count;
      if (!range.has_number()) continue;
      const auto at = static_cast<std::size_t>(bin);
      // rounding to float keeps the order
      envelope.lower[at] = std::fmin(envelope.lower[at], static_cast<float>(range.lower));
      envelope.upper[at] = std::fmax(envelope.upper[at], static_cast<float>(range.upper));
    }
  }
  num_samples_ = end;
}

void Envelopes::halve() {
  samples_per_bin_ *= 2;
  const auto first = [](auto a, auto) { return a; };
  merge_pairs(time_, first);
  merge_pairs(segment_, first);
  for (Envelope& envelope : envelopes_) {
    merge_pairs(envelope.lower, [](float a, float b) { return std::fmin(a, b); });
    merge_pairs(envelope.upper, [](float a, float b) { return std::fmax(a, b); });
  }
}

void Envelopes::write_axis(Traces& traces) const {
  traces.num_samples = num_samples_;
  traces.samples_per_bin = samples_per_bin_;
  traces.start_s = start_;
  traces.time_s = time_;
  traces.segment = segment_;
}

}  // namespace heft
