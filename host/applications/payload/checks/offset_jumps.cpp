#include "offset_jumps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/number_text.hpp"
#include "methods/methods.hpp"
#include "samples/filtering.hpp"
#include "sums/offsets.hpp"
#include "sums/prefix_moments.hpp"

namespace heft::payload {

namespace {

constexpr int kMostJumps = 7;
constexpr double kChanceOfJump = 40;  // times the gain of a second offset by noise
constexpr Eigen::Index kPlaces = 256;
constexpr double kShortestPart = 0.4;     // [s] between jumps
constexpr Eigen::Index kFewestPoses = 3;  // the same of poses
constexpr double kFloorBlock = 0.5;       // [s], too short for a jump to pass as motion
constexpr Eigen::Index kFloorPoses = 4;
constexpr double kRounding = 1e-11;  // of the wrench's power
constexpr double kLeastLoss = 20;    // of log-likelihood, by leaving out a jump that is needed

/// Sums about the mean of a stretch.
void add_centered(const StretchMoments& moments, Sums& sums) {
  MotionMoments centered = moments.about_zero;
  centered.products -= moments.sum * moments.sum.transpose() / centered.count;
  add_moments(centered, sums);
}

class JumpSearch {
 public:
  JumpSearch(const WrenchSamples& samples, double autocorrelation)
      : samples_(samples),
        autocorrelation_(autocorrelation),
        prefixes_(samples, std::max<Eigen::Index>(1, samples.size() / kPlaces)) {
    block_s_ = samples.moves
                   ? static_cast<double>(prefixes_.step()) / std::max(rate_of(samples), 1e-9)
                   : 1;
    shortest_ = samples.moves ? blocks_in(kShortestPart) : static_cast<int>(kFewestPoses);
  }

  /// Index of the first sample after each jump, ascending.
  std::vector<Eigen::Index> run() {
    if (prefixes_.size() < 2 * shortest_) return {};
    const auto floor = noise_floor();
    if (!floor) return {};
    weights_ = *floor;
    const Sums whole = sums_about({0, prefixes_.size()});
    double left = left_of(whole);
    if (left < kRounding * weights_.dot(whole.wrench2)) return {};
    std::vector<int> ends = {0, prefixes_.size()};
    while (static_cast<int>(ends.size()) < kMostJumps + 2) {
      const auto [at, now] = best_among(ends);
      if (at < 0 || left - now < kChanceOfJump * noise_of(now, ends.size() + 1)) break;
      ends.insert(std::lower_bound(ends.begin(), ends.end(), at), at), left = now;
    }
    prune(ends, left);
    std::vector<Eigen::Index> jumps;
    for (std::size_t k = 1; k + 1 < ends.size(); ++k) jumps.push_back(ends[k] * prefixes_.step());
    return jumps;
  }

 private:
  int blocks_in(double seconds) const {
    return std::max(1, static_cast<int>(std::ceil(seconds / block_s_ - 1e-9)));
  }

  /// Sums over stretches, each about its mean.
  Sums sums_about(const std::vector<int>& ends) const {
    Sums sums;
    for (std::size_t k = 1; k < ends.size(); ++k)
      add_centered(prefixes_.between(ends[k - 1], ends[k]), sums);
    return sums;
  }

  /// Weighted squares left by the best body.
  double left_of(const Sums& sums) const {
    const WeightedSums all = weighted(sums, weights_);
    return all.tau2 - all.b.dot(seen_inverse(all.G) * all.b);
  }

  /// 1 / s_c^2 of the residuals of one body with an offset of its own for each short block.
  std::optional<Vector6d> noise_floor() const {
    std::vector<int> ends = {0};
    const int step = samples_.moves ? blocks_in(kFloorBlock) : static_cast<int>(kFloorPoses);
    while (ends.back() + 2 * step <= prefixes_.size()) ends.push_back(ends.back() + step);
    ends.push_back(prefixes_.size());
    const auto fit = least_squares_of(sums_about(ends));
    if (!fit) return {};
    return inverse_squares(fit->rms);
  }

  /// Variance of an independent row.
  double noise_of(double left, std::size_t num_ends) const {
    const double rows = 6 * static_cast<double>(samples_.size()) / autocorrelation_;
    const double unknowns = 10 + 7 * static_cast<double>(num_ends - 1);
    return rows > unknowns ? std::max(left, 0.0) / (rows - unknowns)
                           : std::numeric_limits<double>::infinity();
  }

  struct Place {
    int at = -1;
    double left = std::numeric_limits<double>::infinity();
  };

  Place best_among(const std::vector<int>& ends) const {
    Place best;
    for (std::size_t k = 1; k < ends.size(); ++k) {
      const int from = ends[k - 1], to = ends[k];
      Sums others;
      for (std::size_t j = 1; j < ends.size(); ++j)
        if (j != k) add_centered(prefixes_.between(ends[j - 1], ends[j]), others);
      for (int at = from + shortest_; at <= to - shortest_; ++at) {
        Sums sums = others;
        add_centered(prefixes_.between(from, at), sums),
            add_centered(prefixes_.between(at, to), sums);
        if (const double left = left_of(sums); left < best.left) best = {at, left};
      }
    }
    return best;
  }

  /// Drops places that later ones made unnecessary.
  void prune(std::vector<int>& ends, double left) const {
    for (std::size_t k = 1; k + 1 < ends.size();) {
      std::vector<int> fewer = ends;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
      const double without = left_of(sums_about(fewer));
      if (without - left < kChanceOfJump * noise_of(left, ends.size()))
        ends = std::move(fewer), left = without, k = 1;
      else
        ++k;
    }
  }

  const WrenchSamples& samples_;
  double autocorrelation_, block_s_ = 1;
  PrefixMoments prefixes_;
  int shortest_ = 1;
  Vector6d weights_ = Vector6d::Ones();
};

/// The sample near `guess` at which the means of the residuals before and after differ most.
Eigen::Index refined_place(const Eigen::ArrayXXd& residuals, const Vector6d& weights,
                           Eigen::Index guess, Eigen::Index reach) {
  const Eigen::Index begin = std::max<Eigen::Index>(0, guess - reach),
                     end = std::min(residuals.rows(), guess + reach);
  const Eigen::Index n = end - begin;
  if (n < 4) return guess;
  const Eigen::Array<double, 1, 6> total = residuals.middleRows(begin, n).colwise().sum();
  Eigen::Array<double, 1, 6> before = Eigen::Array<double, 1, 6>::Zero();
  Eigen::Index best = guess;
  double most = 0;
  for (Eigen::Index k = 1; k < n; ++k) {
    before += residuals.row(begin + k - 1);
    const double share = static_cast<double>(k) / static_cast<double>(n);
    const Eigen::Array<double, 1, 6> apart = before - share * total;
    const double gained = (apart.square() * weights.transpose().array()).sum() /
                          (share * (1 - share) * static_cast<double>(n));
    if (gained > most) most = gained, best = begin + k;
  }
  return best;
}

/// First sample that is not before a time.
Eigen::Index sample_at(const WrenchSamples& samples, double time) {
  const double* begin = samples.time.data();
  return std::lower_bound(begin, begin + samples.size(), time) - begin;
}

/// Least squares of one body with an offset for each part; nothing if the parts cannot be weighed.
struct PartsFit {
  BodyParameters x;
  Vector6d rms;
};

std::optional<PartsFit> fit_of_parts(const WrenchSamples& samples, const std::vector<double>& times,
                                     const PayloadOptions& options) {
  const auto parts = split_at_jumps(samples, times);
  if (!parts) return {};
  const auto slow = slow_samples(*parts, options.lowpass_hz);
  if (!slow) return {};
  const auto fit = least_squares_of(sums_of(slow->samples, BiasKind::constant));
  if (!fit) return {};
  return PartsFit{fit->x, fit->rms};
}

/// Drops times that the others make unnecessary once each part is filtered by itself: a low-pass
/// smears one jump into two.
std::vector<double> needed(std::vector<double> times, const WrenchSamples& samples,
                           const PayloadOptions& options, double independent) {
  const auto log_likelihood = [&](const std::vector<double>& of) {
    const auto fit = fit_of_parts(samples, of, options);
    return fit ? -independent * fit->rms.array().log().sum()
               : -std::numeric_limits<double>::infinity();
  };
  while (!times.empty()) {
    const double all = log_likelihood(times);
    std::size_t least = 0;
    double loses = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < times.size(); ++k) {
      std::vector<double> fewer = times;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
      if (const double lost = all - log_likelihood(fewer); lost < loses) loses = lost, least = k;
    }
    if (!(loses < kLeastLoss)) break;
    times.erase(times.begin() + static_cast<std::ptrdiff_t>(least));
  }
  return times;
}

/// Times of the jumps from the unfiltered samples, since the low-pass smears a jump. Times of poses
/// are exact already.
std::vector<double> refined_times(std::vector<double> times, const WrenchSamples& samples,
                                  const PayloadOptions& options) {
  if (!samples.moves) return times;
  const auto fit = fit_of_parts(samples, times, options);
  if (!fit) return {};
  const Eigen::ArrayXXd left = samples.wrench - payload_wrench(samples, fit->x);
  const Vector6d weights = inverse_squares(fit->rms);
  const auto reach = static_cast<Eigen::Index>(std::ceil(std::max(
      0.5 * kShortestPart * rate_of(samples), static_cast<double>(samples.size() / kPlaces))));
  for (double& time : times) {
    const Eigen::Index at = std::clamp<Eigen::Index>(
        refined_place(left, weights, sample_at(samples, time), reach), 1, samples.size() - 1);
    time = 0.5 * (samples.time[at - 1] + samples.time[at]);
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

/// The change of the offset at each of the times.
std::vector<OffsetJump> jumps_at(const std::vector<double>& times, const WrenchSamples& samples,
                                 const PayloadOptions& options) {
  const auto parts = split_at_jumps(samples, times);
  const auto fit = fit_of_parts(samples, times, options);
  if (!parts || !fit) return {};
  const Eigen::ArrayXXd biases = biases_of(*parts, BiasKind::constant, fit->x);
  std::vector<OffsetJump> jumps;
  for (Eigen::Index k = 0; k < std::ssize(times) && k + 1 < biases.rows(); ++k)
    jumps.push_back({times[static_cast<std::size_t>(k)],
                     (biases.row(k + 1) - biases.row(k)).matrix().transpose(),
                     samples.segments.front().log});
  return jumps;
}

}  // namespace

std::vector<OffsetJump> jumps_in(const WrenchSamples& samples, const PayloadOptions& options) {
  if (samples.segments.empty() || samples.is_oriented_by_force ||
      samples.segments.back().log != samples.segments.front().log)
    return {};
  const auto slow = slow_samples(samples, options.lowpass_hz);
  if (!slow) return {};
  std::vector<double> times;
  for (const Eigen::Index at : JumpSearch(slow->samples, slow->autocorrelation).run())
    times.push_back(slow->samples.time[at]);
  if (!times.empty()) times = refined_times(std::move(times), samples, options);
  const double independent = static_cast<double>(slow->samples.size()) / slow->autocorrelation;
  if (!times.empty()) times = needed(std::move(times), samples, options, independent);
  return times.empty() ? std::vector<OffsetJump>() : jumps_at(times, samples, options);
}

Result<WrenchSamples> split_at_jumps(const WrenchSamples& samples,
                                     const std::vector<double>& times) {
  const double first = samples.time.minCoeff(), last = samples.time.maxCoeff();
  for (std::size_t k = 0; k < times.size(); ++k)
    if (!(times[k] > first) || !(times[k] <= last) || (k > 0 && !(times[k] > times[k - 1])))
      return Error{
          "payload.bias_changes",
          number_text(times[k], 10) + " is not between " + number_text(first, 10) + " and " +
              number_text(last, 10) + ", the range of the log, or is not in ascending order",
          samples.moves ? "write times of the log in ascending order, or auto"
                        : "write row numbers (poses count from 0) in ascending order, or auto"};
  WrenchSamples parts = samples;
  parts.segments.clear();
  for (const WrenchSamples::Segment& segment : samples.segments) {
    Eigen::Index begin = segment.begin;
    const Eigen::Index end = segment.begin + segment.size;
    int offset = segment.offset;
    const auto put = [&](Eigen::Index to) {
      if (to > begin) parts.segments.push_back({begin, to - begin, segment.log, offset});
      begin = std::max(begin, to);
    };
    for (const double time : times) {
      put(std::min(end, sample_at(samples, time)));
      if (begin < end || samples.time[end - 1] >= time) ++offset;
    }
    put(end);
  }
  return parts;
}

}  // namespace heft::payload
