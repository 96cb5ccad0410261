// Training data divided in time: folds for cross-validation, blocks for error bars. Both are sums
// of stretches, so neither needs a second pass over the logs. Threads: safe to call from several
// threads on separate objects; const objects may be shared.
#pragma once

#include <vector>

#include "heft/training/training_data.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// One division into training and held-out data.
struct Fold {
  Moments training;  ///< without the held-out part and a gap on both sides of it
  Moments held_out;
};

/// All folds of training data.
struct Folds {
  std::vector<Fold> folds;
  double gap_s = 0;
  /// True if the gap is as long as the filter's reach (LogSummary::filter_reach_s); in short logs
  /// the gap is at most a quarter of a fold.
  bool gap_is_full = false;
};

/// Divides the data into `num_folds` consecutive parts of about equal length and holds out each of
/// them once. A gap between training and held-out data makes filtered noise uncorrelated (FORMULAS
/// 7). `num_threads` threads sum the folds, one thread per fold. Errors: fewer stretches than three
/// per fold, a fold without rows.
Result<Folds> blocked_folds(const TrainingData& data, int num_folds = 5, int num_threads = 1);

/// Approximately independent blocks of training data.
struct Blocks {
  std::vector<Moments> blocks;
  std::vector<std::int64_t> num_samples;  ///< per block
  double shortest_s = 0;                  ///< duration of the shortest block
};

/// Divides the data into at most `max_blocks` consecutive blocks of about equal length, each at
/// least ten time constants of the filter long (FORMULAS 6). Error: fewer than `min_blocks` blocks.
Result<Blocks> independent_blocks(const TrainingData& data, int min_blocks = 24,
                                  int max_blocks = 48);

}  // namespace heft
#pragma GCC visibility pop
