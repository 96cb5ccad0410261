// The prior weight by blocked cross-validation on training data, from their moments alone.
#pragma once

#include <vector>

#include "heft/training_data.hpp"

namespace heft {

struct WeightTrial {
  double weight = 0;          ///< w of FORMULAS 2
  double relative_error = 0;  ///< of the torques held out, over all folds: sqrt(sum e^2 / sum tau^2)
};

struct WeightChoice {
  double weight = 0;
  std::vector<WeightTrial> trials;  ///< by increasing weight
  double gap_s = 0;                 ///< between what is held out and what is learned from
  bool gap_is_full = false;         ///< whether filtered noise loses its memory in it (Folds)
};

/// Solves the constrained problem on every fold at weights from 1e-4 to 3 in half decades, all in one batch,
/// and chooses the weight of the least error on what was held out. Channels are weighted as in estimate().
/// Errors of blocked_folds, fit_weighted and make_problem; a prior without weight; no weight at which all
/// folds have an optimum.
Result<WeightChoice> choose_prior_weight(const TrainingData& data, const EstimationOptions& options);

}  // namespace heft
