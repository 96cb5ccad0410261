#include "delay.hpp"

#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"
#include "filtering.hpp"
#include "methods/methods.hpp"
#include "sums/offsets.hpp"

namespace heft::payload {

namespace {

constexpr Eigen::Index kMinCompared = 100, kMaxCompared = 20000;  // samples that are examined
constexpr double kStep = 5e-3;                                    // [s], not below the log's own

/// Residual sums of squares with the wrench `shift` samples later, always over the same motion.
class Shifted {
 public:
  Shifted(const WrenchSamples& samples, const WrenchSamples::Segment& segment, Eigen::Index most,
          const Vector6d& weights)
      : samples_(samples), weights_(weights) {
    const Eigen::Index size = std::min(segment.size - 2 * most, kMaxCompared);
    begin_ = segment.begin + (segment.size - size) / 2;
    size_ = size;
    part_.time = samples.time.segment(begin_, size);
    part_.motion = samples.motion.middleRows(begin_, size);
  }

  double left(Eigen::Index shift) {
    part_.wrench = samples_.wrench.middleRows(begin_ + shift, size_);
    return StretchFit(moments_of(part_, 0, size_), weights_).information().least();
  }

  double rows() const { return 6 * static_cast<double>(size_); }

 private:
  const WrenchSamples& samples_;
  Vector6d weights_;
  Eigen::Index begin_ = 0, size_ = 0;
  WrenchSamples part_;
};

}  // namespace

Result<WrenchSamples> advanced(const WrenchSamples& samples, double delay) {
  if (!samples.moves || delay == 0) return samples;
  WrenchSamples result = samples;
  result.segments.clear();
  Eigen::Index size = 0;
  for (const WrenchSamples::Segment& segment : samples.segments) {
    const Eigen::Index begin = size, end = segment.begin + segment.size;
    Eigen::Index right = segment.begin;  // first sample not before the time wanted
    for (Eigen::Index i = segment.begin; i < end; ++i) {
      const double wanted = samples.time[i] + delay;
      while (right < end && samples.time[right] < wanted) ++right;
      if (right == end || (right == segment.begin && samples.time[right] > wanted)) continue;
      const Eigen::Index left = samples.time[right] > wanted ? right - 1 : right;
      const double span = samples.time[right] - samples.time[left];
      const double share = span > 0 ? (wanted - samples.time[left]) / span : 0;
      result.time[size] = samples.time[i];
      result.motion.row(size) = samples.motion.row(i);
      result.wrench.row(size) =
          (1 - share) * samples.wrench.row(left) + share * samples.wrench.row(right);
      if (result.gravity.rows() > 0) result.gravity.row(size) = samples.gravity.row(i);
      ++size;
    }
    if (size > begin) result.segments.push_back({begin, size - begin, segment.log, segment.offset});
  }
  if (size == 0)
    return Error{"payload.wrench_delay_s", number_text(delay, 4) + " s is longer than the log",
                 "give the delay in seconds"};
  result.time.conservativeResize(size);
  result.motion.conservativeResize(size, result.motion.cols());
  result.wrench.conservativeResize(size, 6);
  if (result.gravity.rows() > 0) result.gravity.conservativeResize(size, 3);
  return result;
}

std::optional<DelayEstimate> estimate_delay(const WrenchSamples& samples,
                                            const PayloadOptions& options) {
  if (!samples.moves || samples.size() < kMinCompared) return {};
  const BiasKind bias = options.bias == BiasKind::none ? BiasKind::constant : options.bias;
  const auto passed = slow_samples(samples, options.lowpass_hz);
  if (!passed) return {};
  const WrenchSamples& slow = passed->samples;
  const auto longest =
      std::max_element(slow.segments.begin(), slow.segments.end(),
                       [](const auto& a, const auto& b) { return a.size < b.size; });
  const double rate = rate_of(samples);
  const auto most = static_cast<Eigen::Index>(std::floor(kLongestDelay * rate));
  if (most < 1 || longest->size < 2 * most + kMinCompared / 2) return {};
  const auto fit = least_squares_of(sums_of(slow, bias));
  if (!fit) return {};
  Shifted shifted(slow, *longest, most, inverse_squares(fit->rms));
  const auto stride = std::max<Eigen::Index>(1, std::lround(kStep * rate));
  const double without = shifted.left(0);
  Eigen::Index best = 0;
  double least = without;
  const auto look = [&](Eigen::Index first, Eigen::Index last, Eigen::Index by) {
    for (Eigen::Index shift = std::max(first, -most); shift <= std::min(last, most); shift += by)
      if (const double left = shifted.left(shift); left < least) least = left, best = shift;
  };
  look(-most, most, stride);
  if (stride > 1) look(best - stride, best + stride, 1);
  if (std::abs(best) == most || !(least >= 0)) return {};
  const double before = shifted.left(best - 1), behind = shifted.left(best + 1);
  const double bend = before - 2 * least + behind;
  const double between = bend > 0 ? 0.5 * (before - behind) / bend : 0;
  const double noise = least / shifted.rows();
  return DelayEstimate{
      .delay = (static_cast<double>(best) + between) / rate,
      .left = without > 0 ? least / without : 1,
      .log_likelihood = noise > 0 ? 0.5 * (without - least) / noise / passed->autocorrelation : 0};
}

}  // namespace heft::payload
