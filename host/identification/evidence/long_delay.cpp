#include "evidence/long_delay.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/parallel_tasks.hpp"
#include "delay_fits.hpp"
#include "faults/fault.hpp"
#include "heft/executor/executor.hpp"
#include "judged_fault.hpp"
#include "thinned_samples.hpp"
#include "workers.hpp"

namespace heft {

namespace {

constexpr double kShortestLong = 0.03;  ///< [s] shorter ones are seen in short stretches
constexpr double kGrid = 0.01;          ///< [s] of the coarse scan
constexpr double kMuchBetter = 0.75;    ///< of the error, with the delay undone
constexpr double kLeastFall = 20;  ///< nats of the coarse scan, rows counted as worth one in kWorth
constexpr double kWorth = 20;
constexpr double kLeastSeconds = 5;  ///< of the excerpt beside the margins

/// Sums of squares that least squares leaves, delays x channels, and the rows of every channel.
struct CoarseScan {
  std::vector<double> delays;
  Eigen::ArrayXXd left;
  Eigen::ArrayXd num_rows;
};

/// The step between rows that leaves enough of them for a fit.
Eigen::Index step_of_scan(const HypothesisInput& input) {
  constexpr Eigen::Index kRowsOfColumn = 8;
  const Eigen::Index num_columns = input.setup.plan().num_structural_columns();
  return std::clamp<Eigen::Index>(
      input.training.num_samples() / std::max<Eigen::Index>(1, kRowsOfColumn * num_columns), 1,
      step_of(input));
}

/// Gain of one channel if `left` is what a fit leaves, against `before` with no delay [nats].
double fall_of(double num_rows, double before, double left) {
  if (!(left > 0) || !(before > 0)) return 0;
  return 0.5 * num_rows / kWorth * std::log(before / left);
}

/// The rows of every channel, and its torques at all delays.
Result<std::vector<DelayFits>> fits_of(const Profile& profile, const std::vector<double>& delays,
                                       double longest, Eigen::Index step) {
  const HypothesisInput& input = profile.input();
  const RegressorPlan& plan = input.setup.plan();
  std::vector<DelayFits> fits(static_cast<std::size_t>(plan.num_channels()));
  for (const Samples& stretch : input.training.stretches) {
    std::vector<RowArray> rows;
    HEFT_CHECK(profile.backend().evaluate_rows(plan, thinned(stretch, step), rows));
    for (std::size_t c = 0; c < rows.size(); ++c)
      fits[c].add(std::move(rows[c]),
                  torques_later(stretch, static_cast<int>(c), {delays, longest, step}));
  }
  return fits;
}

/// Sums of squares that fits leave, of the channels that have been asked for.
class Scanned {
 public:
  Scanned(std::vector<DelayFits>& fits, Eigen::Index num_delays, Eigen::Index step)
      : fits_(fits),
        is_known_(fits.size(), false),
        scan_{.left = Eigen::ArrayXXd::Zero(num_delays, std::ssize(fits)),
              .num_rows = Eigen::ArrayXd::Zero(std::ssize(fits))} {
    for (std::size_t c = 0; c < fits.size(); ++c)
      scan_.num_rows[static_cast<Eigen::Index>(c)] = fits[c].num_rows() * static_cast<double>(step);
  }

  double num_rows(std::size_t c) const { return scan_.num_rows[static_cast<Eigen::Index>(c)]; }
  /// Fits of all delays of a channel; zeros where it has too few rows for one.
  auto left(std::size_t c) {
    if (!is_known_[c] && fits_[c].is_determined())
      scan_.left.col(static_cast<Eigen::Index>(c)) = fits_[c].left();
    is_known_[c] = true;
    return scan_.left.col(static_cast<Eigen::Index>(c));
  }
  CoarseScan all(std::vector<double> delays) {
    for (std::size_t c = 0; c < fits_.size(); ++c) left(c);
    scan_.delays = std::move(delays);
    return scan_;
  }

 private:
  std::vector<DelayFits>& fits_;
  std::vector<char> is_known_;
  CoarseScan scan_;
};

/// Whether no long delay can gain enough, of one channel or of all: by upper bounds of the gains,
/// and by the gains themselves of channels for which a bound is too high.
bool is_excluded(std::vector<DelayFits>& fits, const std::vector<double>& delays,
                 Scanned& scanned) {
  const auto num_channels = static_cast<double>(fits.size());
  const Eigen::Index none = std::ssize(delays) / 2;
  std::vector<Eigen::Index> is_long;
  for (Eigen::Index d = 0; d < std::ssize(delays); ++d)
    if (std::abs(delays[static_cast<std::size_t>(d)]) >= kShortestLong) is_long.push_back(d);
  Eigen::ArrayXd of_all = Eigen::ArrayXd::Zero(std::ssize(delays));
  for (std::size_t c = 0; c < fits.size(); ++c) {
    if (!fits[c].is_determined()) continue;  // gains nothing
    // an equal share of what all may gain together
    const double num_rows = scanned.num_rows(c), most = kLeastFall / num_channels;
    const double share = std::exp(-2 * kWorth * most / num_rows);
    const DelayFits::Bounds bounds = fits[c].bounds(none, is_long, share);
    const bool suffices = std::all_of(is_long.begin(), is_long.end(), [&](Eigen::Index d) {
      return bounds.all[d] >= share * bounds.of_asked && bounds.all[d] > 0;
    });
    const Eigen::ArrayXd least = suffices ? bounds.all : Eigen::ArrayXd(scanned.left(c));
    const double before = suffices ? bounds.of_asked : least[none];
    for (const Eigen::Index d : is_long) {
      const double fall = fall_of(num_rows, before, least[d]);
      if (!(fall <= kLeastFall)) return false;
      // a fit that leaves nothing but rounding without a delay loses nothing with one
      of_all[d] += suffices ? std::max(0.0, fall) : fall;
    }
  }
  return std::all_of(is_long.begin(), is_long.end(),
                     [&](Eigen::Index d) { return of_all[d] <= kLeastFall; });
}

/// Empty if no long delay can gain enough.
Result<std::optional<CoarseScan>> scan_delays(const Profile& profile, const Fault& of_all) {
  const double longest = of_all.range().highest;
  const auto half = static_cast<int>(std::floor(longest / kGrid));
  std::vector<double> delays;
  for (int k = -half; k <= half; ++k) delays.push_back(k * kGrid);
  const Eigen::Index step = step_of_scan(profile.input());
  HEFT_TRY(fits, fits_of(profile, delays, longest, step));
  Scanned scanned(fits, std::ssize(delays), step);
  if (is_excluded(fits, delays, scanned)) return std::optional<CoarseScan>();
  return std::optional<CoarseScan>(scanned.all(std::move(delays)));
}

struct CoarseDelay {
  int channel = -1;  ///< -1: of all
  double delay = 0;  ///< [s]
  double fall = 0;   ///< nats against no delay
};

/// Gain of delay number d over no delay for one channel [nats].
double fall_of(const CoarseScan& scan, Eigen::Index d, Eigen::Index none, Eigen::Index channel) {
  return fall_of(scan.num_rows[channel], scan.left(none, channel), scan.left(d, channel));
}

/// For all joints together and each joint: the best delay of the scan, largest gain first.
std::vector<CoarseDelay> coarse_delays(const CoarseScan& scan) {
  const auto num_delays = std::ssize(scan.delays);
  const Eigen::Index none = num_delays / 2;
  std::vector<CoarseDelay> found;
  const auto best_of = [&](int channel, const auto& fall) {
    CoarseDelay best{channel, 0, 0};
    for (Eigen::Index d = 0; d < num_delays; ++d)
      if (const double nats = fall(d); nats > best.fall)
        best.delay = scan.delays[static_cast<std::size_t>(d)], best.fall = nats;
    if (best.fall > kLeastFall && std::abs(best.delay) >= kShortestLong) found.push_back(best);
  };
  best_of(-1, [&](Eigen::Index d) {
    double nats = 0;
    for (Eigen::Index c = 0; c < scan.left.cols(); ++c) nats += fall_of(scan, d, none, c);
    return nats;
  });
  for (Eigen::Index c = 0; c < scan.left.cols(); ++c)
    best_of(static_cast<int>(c), [&](Eigen::Index d) { return fall_of(scan, d, none, c); });
  std::stable_sort(found.begin(), found.end(),
                   [](const CoarseDelay& a, const CoarseDelay& b) { return a.fall > b.fall; });
  return found;
}

bool explains(const Hypothesis& h) {
  if (!(h.training_after < kMuchBetter * h.training_before)) return false;
  return !h.held_out_after || *h.held_out_after < kMuchBetter * *h.held_out_before;
}

}  // namespace

void LongExcerptRecorder::push(int segment, const Samples& block) {
  if (block.unfiltered || block.size() == 0) return;
  if (segment != segment_) {
    step_ = std::max<Eigen::Index>(1, static_cast<Eigen::Index>(1 / (period_of(block) * kRate)));
    next_ = 0;
  }
  segment_ = segment;
  const Eigen::Index first = next_;
  const Eigen::Index count = first < block.size() ? (block.size() - 1 - first) / step_ + 1 : 0;
  next_ = first + count * step_ - block.size();
  if (count == 0) return;
  excerpt_.push(segment, count, [&](Eigen::Index begin, Eigen::Index size) {
    const auto kept = Eigen::seqN(first + begin * step_, size, step_);
    Samples few{.time = block.time(kept)};
    for_each_array(block, [&](const SampleArray& array, const Eigen::ArrayXXd& numbers) {
      few.*array.member = numbers.size() == 0 ? numbers : numbers(kept, Eigen::all).eval();
    });
    return few;
  });
}

Excerpt LongExcerptRecorder::excerpt() const {
  constexpr double kOfLongest = 0.9;  // shorter ones, at ends of segments, would shorten the range
                                      // of delays
  Excerpt excerpt = excerpt_.excerpt();
  Eigen::Index longest = 0;
  for (const Samples& stretch : excerpt.stretches) longest = std::max(longest, stretch.size());
  std::erase_if(excerpt.stretches, [&](const Samples& stretch) {
    return static_cast<double>(stretch.size()) < kOfLongest * static_cast<double>(longest);
  });
  return excerpt;
}

Result<std::optional<Hypothesis>> long_delay(const HypothesisInput& input, int num_threads,
                                             const Progress& progress) {
  Faults faults;
  long_torque_delays(input, faults);
  if (faults.empty()) return std::optional<Hypothesis>();
  double seconds = 0;
  for (const Samples& stretch : input.training.stretches)
    seconds += static_cast<double>(stretch.size()) * period_of(stretch) -
               2 * faults.front()->range().highest;
  if (!(seconds > kLeastSeconds)) return std::optional<Hypothesis>();
  HEFT_TRY(backend, make_backend({.kind = BackendKind::cpu, .threads = 1}));
  const Workers workers{*backend, num_threads, progress};
  const Profile profile(input, workers);
  HEFT_TRY(scan, scan_delays(profile, *faults.front()));
  if (!scan) return std::optional<Hypothesis>();
  std::vector<CoarseDelay> coarse = coarse_delays(*scan);
  constexpr std::size_t kMostRefined = 2;
  if (coarse.size() > kMostRefined) coarse.resize(kMostRefined);
  if (coarse.empty()) return std::optional<Hypothesis>();
  HEFT_TRY(answer, profile.explain_as_it_is());
  std::optional<Judged> best;
  for (const CoarseDelay& one : coarse) {
    const auto fault = std::find_if(faults.begin(), faults.end(), [&](const auto& candidate) {
      return candidate->channel() == one.channel;
    });
    if (fault == faults.end()) continue;
    HEFT_TRY(found, judged_near(profile, **fault, one.delay, answer));
    if (found && explains(found->hypothesis) &&
        (!best || found->hypothesis.least_gain() > best->hypothesis.least_gain()))
      best = std::move(found);
  }
  if (!best) return std::optional<Hypothesis>();
  return std::optional<Hypothesis>(std::move(best->hypothesis));
}

}  // namespace heft
