// How an answer is computed; what it must obey is in the Setup, what a row counts in the training
// data. Threads: plain values: share them for reading; a thread that changes one must own it.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <optional>

#include "heft/charts/chart_kind.hpp"
#include "heft/solve/solve.hpp"
#include "heft/uncertainty/uncertainty.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Which answer the result holds.
enum class Estimator {
  constrained,  ///< the convex optimum of FORMULAS 2 and 3
  ordinary_least_squares,
  weighted_least_squares,
};

struct EstimationOptions {
  Estimator estimator = Estimator::constrained;
  SolveOptions solve;
  int weighting_passes = 4;  ///< of weighted least squares
  double rank_cut = 1e-7;    ///< of least squares, on singular values of column-scaled rows
  bool chooses_weight_of_prior = false;  ///< by cross-validation, see WeightChoice; Prior::weight
                                         ///< is the default
  /// A chart on which the constrained answer is looked for once more: Optimum::second_opinion.
  std::optional<ChartKind> second_opinion = {};
  UncertaintyOptions uncertainty;
  /// Most that a row of each channel may count for in the constrained answer, whatever its
  /// residuals say; empty: not bounded.
  Eigen::VectorXd most_weights = {};
  /// Who solves the convex problem of the answer, for those who solve many robots' in one batch.
  /// Empty: solve().
  std::function<Result<Solution>(const Problem&)> solver = {};

  bool is_least_squares() const { return estimator != Estimator::constrained; }
};

}  // namespace heft
#pragma GCC visibility pop
