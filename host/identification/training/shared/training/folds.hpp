// Training data divided in time: folds for cross-validation, blocks for error bars. Both are sums
// of stretches, so that neither costs a second pass over the logs. Threads: any number of threads
// may call, each with objects of its own; what is const may be shared.
#pragma once

#include <vector>

#include "heft/training/training_data.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct Fold {
  Moments training;  ///< without the held-out part and a gap on either side of it
  Moments held_out;
};

struct Folds {
  std::vector<Fold> folds;
  double gap_s = 0;
  /// Whether the gap is as long as the filter's reach (LogSummary::filter_reach_s); in a short log
  /// it is a quarter of a fold at most.
  bool gap_is_full = false;
};

/// Cuts the data into `num_folds` consecutive parts of about equal length; each is held out once.
/// Between what is held out and what is learned from lies a gap in which filtered noise loses its
/// memory (FORMULAS 7). Fails if the data have fewer stretches than three a fold, or a fold is left
/// without rows. Folds are summed by `num_threads` threads, each fold by one.
Result<Folds> blocked_folds(const TrainingData& data, int num_folds = 5, int num_threads = 1);

struct Blocks {
  std::vector<Moments> blocks;
  std::vector<std::int64_t> num_samples;  ///< of each
  double shortest_s = 0;                  ///< duration of the shortest block
};

/// Cuts the data into at most `max_blocks` consecutive blocks of about equal length, each of at
/// least ten time constants of the filter (FORMULAS 6). Fails if fewer than `min_blocks` come out.
Result<Blocks> independent_blocks(const TrainingData& data, int min_blocks = 24,
                                  int max_blocks = 48);

}  // namespace heft
#pragma GCC visibility pop
