// What a model finds on data that it did not learn from, fold by fold; prior and constraints
// active.
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

/// Squared torques that a model leaves unexplained on the held-out part of every fold.
struct FoldErrors {
  Eigen::ArrayXd squared;
  double torque2 = 0;  ///< of all held-out parts

  double relative() const { return std::sqrt(squared.sum() / torque2); }
  bool is_finite() const { return squared.isFinite().all(); }
};

/// What `after` takes away of the error of `before`, on the same folds.
struct Gain {
  double share = 0;            ///< of the relative error
  double standard_errors = 0;  ///< mean of the folds' differences over its standard error
};
Gain gain(const FoldErrors& before, const FoldErrors& after);

/// Channel weights 1 / s_c^2 learned from the training part of every fold (FORMULAS 2).
Result<std::vector<Eigen::VectorXd>> fold_weights(const std::vector<Fold>& folds,
                                                  const EstimationOptions& options,
                                                  int num_threads);

/// One model: its folds, all of one plan, which must outlive it, and the weight of the prior that
/// it is solved with.
struct FoldedModel {
  const std::vector<Fold>* folds = nullptr;
  double weight_of_prior = 0;
};

/// Solves the convex problem (FORMULAS 2, 3), with the setup's prior and constraints, on the
/// training part of every fold of every model, in one batch; `weights` one set of channel weights a
/// fold, for all models; `purpose` is what the executor counts them under. Errors of a fold without
/// an optimum are NaN. Error: invalid normal equations.
Result<std::vector<FoldErrors>> cross_validate(const char* purpose,
                                               const std::vector<FoldedModel>& models,
                                               const std::vector<Eigen::VectorXd>& weights,
                                               const Setup& setup, const Solving& solving);

}  // namespace heft
#pragma GCC visibility pop
