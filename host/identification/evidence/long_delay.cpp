#include "evidence/long_delay.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/parallel_tasks.hpp"
#include "faults/fault.hpp"
#include "heft/executor/executor.hpp"
#include "judged_fault.hpp"
#include "linalg/factorizations.hpp"
#include "solve/wide_product.hpp"
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

/// Rows of one channel over all stretches, every step-th of them, and its torque at every delay.
struct ChannelSums {
  Eigen::MatrixXd squares, by_torque;  ///< Y'Y (above the diagonal), Y' tau(d)
  Eigen::ArrayXd torque2;              ///< |tau(d)|^2
  double num_rows = 0;
};

/// The step between rows that leaves enough of them for a fit.
Eigen::Index step_of_scan(const HypothesisInput& input) {
  constexpr Eigen::Index kRowsOfColumn = 8;
  const Eigen::Index num_columns = input.setup.plan().num_structural_columns();
  return std::clamp<Eigen::Index>(
      input.training.num_samples() / std::max<Eigen::Index>(1, kRowsOfColumn * num_columns), 1,
      step_of(input));
}

void add_rows(const RowArray& rows, const LaterTorques& later, ChannelSums& sum) {
  const RowMajorMatrix Y =
      (rows.middleRows(later.first, later.used.size()).colwise() * later.used).matrix();
  const Eigen::MatrixXd columns = Y;
  if (sum.squares.size() == 0) {
    sum.squares = Eigen::MatrixXd::Zero(Y.cols(), Y.cols());
    sum.by_torque = Eigen::MatrixXd::Zero(Y.cols(), later.torque.cols());
    sum.torque2 = Eigen::ArrayXd::Zero(later.torque.cols());
  }
  // the upper triangle by panels of columns
  constexpr Eigen::Index kPanel = 16;
  for (Eigen::Index first = 0; first < Y.cols(); first += kPanel) {
    const Eigen::Index width = std::min(kPanel, Y.cols() - first);
    sum.squares.block(0, first, first + width, width) +=
        wide_product(Y.leftCols(first + width), columns.middleCols(first, width));
  }
  sum.by_torque += wide_product(Y, later.torque);
  sum.torque2 += later.torque.colwise().squaredNorm().transpose().array();
  sum.num_rows += later.used.sum();
}

Result<CoarseScan> scan_delays(const Profile& profile, const Fault& of_all) {
  const HypothesisInput& input = profile.input();
  const RegressorPlan& plan = input.setup.plan();
  CoarseScan scan;
  const double longest = of_all.range().highest;
  const auto half = static_cast<int>(std::floor(longest / kGrid));
  for (int k = -half; k <= half; ++k) scan.delays.push_back(k * kGrid);
  const auto num_delays = std::ssize(scan.delays);
  const Eigen::Index step = step_of_scan(input);
  std::vector<ChannelSums> sums(static_cast<std::size_t>(plan.num_channels()));
  for (const Samples& stretch : input.training.stretches) {
    std::vector<RowArray> rows;
    HEFT_CHECK(profile.backend().evaluate_rows(plan, thinned(stretch, step), rows));
    for (std::size_t c = 0; c < rows.size(); ++c) {
      const LaterTorques later =
          torques_later(stretch, static_cast<int>(c), {scan.delays, longest, step});
      if (later.used.size() > 0) add_rows(rows[c], later, sums[c]);
    }
  }
  scan.left = Eigen::ArrayXXd::Zero(num_delays, plan.num_channels());
  scan.num_rows = Eigen::ArrayXd::Zero(plan.num_channels());
  for (std::size_t c = 0; c < sums.size(); ++c) {
    ChannelSums& sum = sums[c];
    const auto channel = static_cast<Eigen::Index>(c);
    scan.num_rows[channel] = sum.num_rows * static_cast<double>(step);
    if (!(sum.num_rows > 2 * static_cast<double>(sum.squares.rows()))) continue;
    const Eigen::VectorXd scale =
        sum.squares.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
    Eigen::MatrixXd scaled = sum.squares.selfadjointView<Eigen::Upper>();
    scaled = (scale.asDiagonal() * scaled * scale.asDiagonal()).eval();
    scaled.diagonal().array() += 1e-8;  // columns that the motion does not distinguish
    // b' A^-1 b = |L^-1 b|^2
    Eigen::MatrixXd explained = scale.asDiagonal() * sum.by_torque;
    const Eigen::LLT<Eigen::MatrixXd> factor(scaled);
    factor.matrixL().solveInPlace(explained);
    scan.left.col(channel) = sum.torque2 - explained.colwise().squaredNorm().transpose().array();
  }
  return scan;
}

struct CoarseDelay {
  int channel = -1;  ///< -1: of all
  double delay = 0;  ///< [s]
  double fall = 0;   ///< nats against no delay
};

/// Gain of delay number d over no delay for one channel [nats].
double fall_of(const CoarseScan& scan, Eigen::Index d, Eigen::Index none, Eigen::Index channel) {
  const double left = scan.left(d, channel), before = scan.left(none, channel);
  if (!(left > 0) || !(before > 0)) return 0;
  return 0.5 * scan.num_rows[channel] / kWorth * std::log(before / left);
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
  std::vector<CoarseDelay> coarse = coarse_delays(scan);
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
