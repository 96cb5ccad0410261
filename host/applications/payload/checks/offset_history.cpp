#include "offset_history.hpp"

#include <algorithm>
#include <cmath>

#include "methods/intervals.hpp"
#include "methods/methods.hpp"
#include "residual_checks.hpp"
#include "samples/filtering.hpp"
#include "sums/offsets.hpp"

namespace heft::payload {

namespace {

constexpr int kMostDegrees = 3;
constexpr double kFewestOfDrift = 8;         // independent samples, of poses
constexpr double kFewestOfMotionDrift = 30;  // the same of motion, whose noise is not white
constexpr double kShortestDrift = 10;        // [s] in which a sensor drifts
constexpr double kRoundingOfPower = 1e-12;
// log-likelihood gain required of an explanation; noise reaches it in one of ten thousand logs
constexpr double kLeastGain = 14;
constexpr double kPerDegree = 8, kPerJump = 12, kPerChange = 18;
constexpr double kStillLeftOfChannel = 0.8;  // of the residual of at least one channel

/// Mean squared residual of every channel in the band of the low-pass.
struct LeftOver {
  Vector6d mean_squares = Vector6d::Zero();
  double independent = 0;  ///< samples
  double unknowns = 0;     ///< of a channel's offset
};

/// Correlation of neighboring samples: one value for all channels of poses; for motion as in the
/// intervals.
double autocorrelation_of(const SlowSamples& slow, const Eigen::ArrayXXd& residuals) {
  if (slow.samples.moves)
    return std::max(slow.autocorrelation, autocorrelation_samples(slow.samples, residuals));
  const Eigen::Index n = residuals.rows();
  double alike = 0;
  for (int c = 0; c < 6; ++c) {
    const double power = residuals.col(c).square().sum();
    if (power > 0)
      alike += (residuals.col(c).head(n - 1) * residuals.col(c).tail(n - 1)).sum() / power / 6;
  }
  return std::clamp((1 + alike) / (1 - alike), 1.0, static_cast<double>(n));
}

LeftOver left_over_of(const SlowSamples& slow, const Eigen::ArrayXXd& residuals, double unknowns) {
  const WrenchSamples& samples = slow.samples;
  const Vector6d power = samples.wrench.square().colwise().mean().transpose();
  return {.mean_squares = Vector6d(residuals.square().colwise().mean().transpose())
                              .cwiseMax(kRoundingOfPower * power)
                              .cwiseMax(1e-300),
          .independent = static_cast<double>(samples.size()) / autocorrelation_of(slow, residuals),
          .unknowns = unknowns};
}

/// Fits one body with biases of one kind.
std::optional<LeftOver> left_by_one_body(const WrenchSamples& samples,
                                         const PayloadOptions& options, BiasKind bias,
                                         BodyParameters* body = nullptr) {
  const auto slow = slow_samples(samples, options.lowpass_hz);
  if (!slow) return {};
  const auto fit = least_squares_of(sums_of(slow->samples, bias));
  if (!fit) return {};
  if (body) *body = fit->x;
  return left_over_of(*slow, residuals_of(slow->samples, bias, fit->x),
                      num_offsets(slow->samples, bias));
}

/// Fits a new body after each change, with one common offset.
std::optional<LeftOver> left_by_bodies(const WrenchSamples& samples, const PayloadOptions& options,
                                       const std::vector<Change>& changes) {
  std::vector<double> times;
  for (const Change& change : changes) times.push_back(change.time);
  const auto parts = split_at_jumps(samples, times);
  if (!parts) return {};
  const auto slow = slow_samples(*parts, options.lowpass_hz);
  if (!slow) return {};
  const WrenchSamples& s = slow->samples;
  const std::vector<SampleRange> ranges = bias_ranges(s, BiasKind::constant);
  Eigen::ArrayXXd left = s.wrench;
  Vector6d weights = Vector6d::Ones();
  for (int pass = 0; pass < 4; ++pass) {
    OffsetInformation all;
    std::vector<StretchFit> fits;
    for (const SampleRange& range : ranges)
      all += fits.emplace_back(moments_of(s, range.begin, range.size), weights).information();
    const Vector6d offset = options.bias == BiasKind::none ? Vector6d::Zero() : all.offset();
    for (std::size_t k = 0; k < ranges.size(); ++k) {
      WrenchSamples part;
      part.time.resize(ranges[k].size);
      part.motion = s.motion.middleRows(ranges[k].begin, ranges[k].size);
      left.middleRows(ranges[k].begin, ranges[k].size) =
          (s.wrench.middleRows(ranges[k].begin, ranges[k].size) -
           payload_wrench(part, fits[k].body(offset)))
              .rowwise() -
          offset.transpose().array();
    }
    const Vector6d mean_squares = left.square().colwise().mean().transpose();
    weights = mean_squares.cwiseMax(1e-300).cwiseInverse();
  }
  return left_over_of(*slow, left, 1);
}

/// Log-likelihood gain of `with` over `without`, reduced for small samples.
double gain_of(const LeftOver& without, const LeftOver& with) {
  const double independent = std::max(with.independent - with.unknowns - 2, 0.0);
  const Eigen::ArrayXd ratios = with.mean_squares.array() / without.mean_squares.array();
  return -0.5 * independent * ratios.log().sum();
}

bool explains_a_channel(const LeftOver& without, const LeftOver& with) {
  return (with.mean_squares.array() < kStillLeftOfChannel * without.mean_squares.array()).any();
}

/// Whether the residual of an explanation looks like noise.
bool is_all_explained(const WrenchSamples& samples, const PayloadOptions& options, BiasKind bias,
                      const BodyParameters& body) {
  PayloadOptions as_explained = options;
  as_explained.bias = bias;
  return !has_open_doubt(doubts_about_residuals(samples, as_explained, body));
}

/// The bias with which one body is fitted: a sensor without offset may have one.
BiasKind fitted_bias(BiasKind given) {
  return given == BiasKind::none ? BiasKind::constant : given;
}

/// The samples of one of several logs.
WrenchSamples samples_of_log(const WrenchSamples& all, int log) {
  WrenchSamples part;
  part.moves = all.moves, part.drift = all.drift;
  Eigen::Index begin = 0, size = 0;
  for (const WrenchSamples::Segment& segment : all.segments) {
    if (segment.log != log) continue;
    if (size == 0) begin = segment.begin;
    part.segments.push_back({segment.begin - begin, segment.size, log, segment.offset});
    size += segment.size;
  }
  part.time = all.time.segment(begin, size);
  part.motion = all.motion.middleRows(begin, size);
  part.wrench = all.wrench.middleRows(begin, size);
  if (all.gravity.rows() > 0) part.gravity = all.gravity.middleRows(begin, size);
  if (all.logged_time.size() > 0) part.logged_time = all.logged_time.segment(begin, size);
  return part;
}

struct JumpsFit {
  std::vector<OffsetJump> jumps;
  double score = 0;  ///< gain less the cost of unknowns
};

/// Jumps within one log that explain it; no jumps in other logs.
JumpsFit jumps_of_log(const WrenchSamples& log, const PayloadOptions& options) {
  JumpsFit found{.jumps = jumps_in(log, options)};
  if (found.jumps.empty()) return {};
  std::vector<double> times;
  for (const OffsetJump& jump : found.jumps) times.push_back(jump.time);
  const auto parts = split_at_jumps(log, times);
  const auto without = left_by_one_body(log, options, fitted_bias(options.bias));
  if (!parts || !without) return {};
  BodyParameters body;
  const auto with = left_by_one_body(*parts, options, BiasKind::constant, &body);
  if (!with || !explains_a_channel(*without, *with) ||
      !is_all_explained(*parts, options, BiasKind::constant, body))
    return {};
  found.score = gain_of(*without, *with) - kPerJump * static_cast<double>(times.size() - 1);
  return found.score > kLeastGain + kPerJump ? found : JumpsFit{};
}

/// [s], of the longest segment.
double duration_of(const WrenchSamples& samples) {
  double longest = 0;
  for (const WrenchSamples::Segment& segment : samples.segments)
    longest = std::max(
        longest, samples.time[segment.begin + segment.size - 1] - samples.time[segment.begin]);
  return longest;
}

struct DriftFit {
  WrenchSamples samples;  ///< with this form
  BodyParameters body;
  LeftOver left;
  double score = 0;  ///< gain less the cost of unknowns
};

/// The best form of a drift; empty if the logs are too short.
std::optional<DriftFit> best_drift(const WrenchSamples& given, const PayloadOptions& options,
                                   const LeftOver& without) {
  std::optional<DriftFit> best;
  WrenchSamples samples = given;
  const bool has_logged_time = samples.logged_time.size() == samples.size();
  const double fewest = samples.moves ? kFewestOfMotionDrift : kFewestOfDrift;
  for (const bool by_logged_time : {false, true}) {
    if (by_logged_time && !has_logged_time) continue;
    for (int degree = 1; degree <= kMostDegrees; ++degree) {
      samples.drift = {degree, by_logged_time};
      BodyParameters body;
      const auto left = left_by_one_body(samples, options, BiasKind::drift, &body);
      if (!left || left->independent < fewest + left->unknowns) continue;
      const double score = gain_of(without, *left) - kPerDegree * (degree - 1);
      if (!best || score > best->score) best = DriftFit{samples, body, *left, score};
    }
  }
  return best;
}

/// The drift of the log where the force, or else the torque, drifts most.
Vector6d largest_drift(const Eigen::ArrayXXd& drifts) {
  Eigen::Index most = 0;
  drifts.leftCols(3).square().rowwise().sum().maxCoeff(&most);
  return drifts.row(most).matrix().transpose();
}

}  // namespace

LogHistory history_of(const WrenchSamples& samples, const PayloadOptions& options) {
  LogHistory history;
  if (samples.segments.empty() || samples.is_oriented_by_force) return history;
  const BiasKind bias = fitted_bias(options.bias);
  const auto without = left_by_one_body(samples, options, bias);
  if (!without) return history;
  const bool has_split = !options.bias_changes.empty() || options.finds_bias_changes,
             has_moving_offset = has_split || bias == BiasKind::drift;
  const std::vector<Change> changes = changes_in(samples, options);
  double best = 0;
  if (!changes.empty()) {
    const auto with = left_by_bodies(samples, options, changes);
    if (with)
      best = gain_of(*without, *with) - kPerChange * static_cast<double>(changes.size() - 1);
    // changes_in assumes one offset, unlike the fits compared here
    if (!has_moving_offset || best > kLeastGain) history.changes = changes;
  }
  if (bias == BiasKind::drift) return history;
  if (!has_split) {
    JumpsFit all;
    for (int log = 0; log <= samples.segments.back().log; ++log) {
      JumpsFit found = jumps_of_log(samples_of_log(samples, log), options);
      all.jumps.insert(all.jumps.end(), found.jumps.begin(), found.jumps.end());
      all.score += found.score;
    }
    if (all.score > best) {
      best = all.score;
      history = {.changes = {}, .jumps = std::move(all.jumps), .drift = {}};
    }
  }
  if (bias == BiasKind::per_segment || (samples.moves && duration_of(samples) < kShortestDrift))
    return history;
  if (const auto drift = best_drift(samples, options, *without);
      drift && drift->score > std::max(best, kLeastGain) &&
      explains_a_channel(*without, drift->left) &&
      is_all_explained(drift->samples, options, BiasKind::drift, drift->body))
    history = {.changes = {},
               .jumps = {},
               .drift = OffsetDrift{drift->samples.drift,
                                    largest_drift(drifts_of(drift->samples, drift->body))}};
  return history;
}

WrenchSamples with_drift(const WrenchSamples& samples, const PayloadOptions& options) {
  const auto without = left_by_one_body(samples, options, BiasKind::constant);
  if (!without) return samples;
  if (auto drift = best_drift(samples, options, *without)) return std::move(drift->samples);
  return samples;
}

}  // namespace heft::payload
