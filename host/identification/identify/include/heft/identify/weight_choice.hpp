// The prior weight by blocked cross-validation on training data, from their moments alone.
// Threads: any number of threads may call, each with objects of its own; what is const may be
// shared.
#pragma once

#include <vector>

#include "heft/base/progress.hpp"
#include "heft/executor/executor.hpp"
#include "heft/identify/estimation_options.hpp"
#include "heft/setup/setup.hpp"
#include "heft/training/training_data.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct WeightTrial {
  double weight = 0;          ///< w of FORMULAS 2
  double relative_error = 0;  ///< of the torques held out, over all folds: sqrt(sum e^2 / sum
                              ///< tau^2)
  /// How much worse than the best weight, in standard errors of the folds' differences.
  double excess = 0;
};

struct WeightChoice {
  double weight = 0;
  std::vector<WeightTrial> trials;  ///< by increasing weight
  double gap_s = 0;                 ///< between what is held out and what is learned from
  bool gap_is_full = false;         ///< whether filtered noise loses its memory in it (Folds)
};

/// Solves the constrained problem on every fold at weights from 1e-4 to 3 in half decades, all in
/// one batch. Of the weights whose error on what was held out is within one standard error of the
/// least, chooses the one nearest to the default (that of setup.prior): few folds of correlated
/// data deceive, and where they cannot tell weights apart, the default has been right more often
/// [the rule: Breiman et al. 1984]. Channels are weighted in every fold as in estimate(). Errors of
/// blocked_folds, fit_weighted and make_problem; a prior without weight; no weight at which all
/// folds have an optimum.
Result<WeightChoice> choose_prior_weight(const TrainingData& data, const Setup& setup,
                                         Executor& executor, const EstimationOptions& options,
                                         const Progress& progress = {});

}  // namespace heft
#pragma GCC visibility pop
