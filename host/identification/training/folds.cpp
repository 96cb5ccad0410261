#include "training/folds.hpp"

#include <algorithm>
#include <cmath>

#include "base/parallel_tasks.hpp"

namespace heft {

namespace {

constexpr double kReachInTimeConstants = 36;  ///< LogSummary::filter_reach_s
constexpr double kBlockInTimeConstants = 10;

/// Sampling common to all logs: the coarsest and slowest if they differ.
struct Timing {
  double period_s = 0, reach_s = 0;
  std::int64_t num_samples = 0;
};

Timing timing_of(const TrainingData& data) {
  Timing timing;
  for (const LogSummary& log : data.logs) {
    timing.period_s = std::max(timing.period_s, log.sample_period_s);
    timing.reach_s = std::max(timing.reach_s, log.filter_reach_s);
  }
  for (const MomentStretch& stretch : data.stretches) timing.num_samples += stretch.num_samples;
  return timing;
}

double num_rows_of(const Moments& moments) {
  double sum = 0;
  for (const double rows : moments.num_rows) sum += rows;
  return sum;
}

Error of_compact_data(const char* what) {
  return {what,
          "the moments are compact: they are only the sum of all samples, which cannot be split",
          "use moments files that were made without --compact"};
}

/// Adds stretches of one plan, which cannot fail.
void add_stretch(Moments& into, const MomentStretch& stretch) {
  (void)add(into, stretch.moments).ok();
}

}  // namespace

Result<Folds> blocked_folds(const TrainingData& data, int num_folds, int num_threads) {
  if (data.is_compact()) return of_compact_data("folds");
  const Timing timing = timing_of(data);
  if (num_folds < 2)
    return Error{"folds", "at least two folds are needed", "give 2 or more; the default is 5"};
  if (static_cast<int>(data.stretches.size()) < 3 * num_folds)
    return Error{"folds", "the log is too short to hold out a part of it",
                 "record longer, or set the weight to a number"};
  const double reach = std::ceil(timing.reach_s / timing.period_s);
  const double fold_length = static_cast<double>(timing.num_samples) / num_folds;
  const double gap = std::min(reach, std::floor(fold_length / 4));

  Folds result{{}, gap * timing.period_s, gap >= reach};
  result.folds.resize(static_cast<std::size_t>(num_folds));
  const auto cut = [&](std::int64_t k, int) -> Result<Done> {
    Fold fold{zero_moments(data.plan), zero_moments(data.plan)};
    const double from = static_cast<double>(k) * fold_length,
                 to = static_cast<double>(k + 1) * fold_length;
    double at = 0;
    for (const MomentStretch& stretch : data.stretches) {
      const double begin = at, middle = at + 0.5 * static_cast<double>(stretch.num_samples);
      at += static_cast<double>(stretch.num_samples);
      if (middle >= from && middle < to)
        add_stretch(fold.held_out, stretch);
      else if (at <= from - gap || begin >= to + gap)
        add_stretch(fold.training, stretch);
    }
    if (!(num_rows_of(fold.held_out) > 0) || !(num_rows_of(fold.training) > 0))
      return Error{"folds", "a part of the log has no usable rows",
                   "record longer, or drop fewer rows"};
    result.folds[static_cast<std::size_t>(k)] = std::move(fold);
    return Done{};
  };
  HEFT_CHECK(parallel_tasks(num_folds, num_threads, {}, "", cut));
  return result;
}

Result<Blocks> independent_blocks(const TrainingData& data, int min_blocks, int max_blocks) {
  if (data.is_compact()) return of_compact_data("");
  const Timing timing = timing_of(data);
  const double shortest =
      timing.reach_s / timing.period_s * (kBlockInTimeConstants / kReachInTimeConstants);
  const double length = std::max(shortest, static_cast<double>(timing.num_samples) / max_blocks);

  Blocks result;
  std::vector<std::int64_t>& samples = result.num_samples;
  for (const MomentStretch& stretch : data.stretches) {
    if (samples.empty() || static_cast<double>(samples.back()) >= length) {
      result.blocks.push_back(zero_moments(data.plan));
      samples.push_back(0);
    }
    add_stretch(result.blocks.back(), stretch);
    samples.back() += stretch.num_samples;
  }
  if (samples.size() > 1 && static_cast<double>(samples.back()) < length) {
    (void)add(result.blocks[samples.size() - 2], result.blocks.back()).ok();
    samples[samples.size() - 2] += samples.back();
    result.blocks.pop_back();
    samples.pop_back();
  }
  if (static_cast<int>(result.blocks.size()) < min_blocks)
    return Error{"",
                 "the log has only " + std::to_string(result.blocks.size()) +
                     (result.blocks.size() == 1 ? " block" : " blocks") +
                     " of ten filter time constants; " + std::to_string(min_blocks) + " are needed",
                 "record longer"};
  result.shortest_s =
      static_cast<double>(*std::min_element(samples.begin(), samples.end())) * timing.period_s;
  return result;
}

}  // namespace heft
