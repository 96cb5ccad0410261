// Cross-validation: errors of a model on data that it was not estimated from, fold by fold, with
// active prior and constraints.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <vector>

#include "heft/executor/executor.hpp"
#include "heft/identify/estimate.hpp"
#include "heft/setup/setup.hpp"
#include "training/folds.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Squared torque errors of a model on the held-out part of every fold.
struct FoldErrors {
  Eigen::ArrayXd squared;
  double torque2 = 0;  ///< of all held-out parts

  double relative() const { return std::sqrt(squared.sum() / torque2); }
  bool is_finite() const { return squared.isFinite().all(); }
};

/// Reduction of the error from `before` to `after` on the same folds.
struct Gain {
  double share = 0;            ///< fraction of the relative error
  double standard_errors = 0;  ///< mean of the folds' differences over its standard error
};
/// Computes the gain.
Gain gain(const FoldErrors& before, const FoldErrors& after);

/// Returns channel weights 1 / s_c^2 estimated from the training part of every fold (FORMULAS 2).
Result<std::vector<Eigen::VectorXd>> fold_weights(const std::vector<Fold>& folds,
                                                  const EstimationOptions& options,
                                                  int num_threads);

/// One model: its folds, all with the same plan and outliving it, and the weight of the prior.
struct FoldedModel {
  const std::vector<Fold>* folds = nullptr;
  double weight_of_prior = 0;
};

/// Solves the convex problem (FORMULAS 2, 3), with the setup's prior and constraints, on the
/// training part of every fold of every model, in one batch, and returns the errors. `weights` has
/// one set of channel weights per fold, for all models; `purpose` is the executor's name for these
/// problems. Folds without an optimum have error NaN. Error: invalid normal equations.
Result<std::vector<FoldErrors>> cross_validate(const char* purpose,
                                               const std::vector<FoldedModel>& models,
                                               const std::vector<Eigen::VectorXd>& weights,
                                               const Setup& setup, const Solving& solving);

}  // namespace heft
#pragma GCC visibility pop
