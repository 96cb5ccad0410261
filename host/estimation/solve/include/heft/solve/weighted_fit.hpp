// Weighted least squares from moments alone: no second pass over the data.
// Threads: any number of threads may call, each with objects of its own; what is const may be
// shared.
#pragma once

#include <Eigen/Core>

#include "heft/moments/moments.hpp"
#include "heft/solve/least_squares.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct WeightedFit {
  LeastSquares ordinary, weighted;
  Eigen::VectorXd channel_weights;  ///< 1 / s_c^2, s_c the rms residual after the last pass
};

/// The weights alone that fit_weighted() comes to. Errors: those of basic_solution().
Result<Eigen::VectorXd> weights_of_residuals(const Moments& moments, int passes, double rank_cut);

/// Ordinary least squares first, then `passes` times with every channel weighted by 1 / s_c^2, s_c
/// the rms residual of its used rows (FORMULAS 2). Errors of least_squares.
Result<WeightedFit> fit_weighted(const Moments& moments, int passes, double rank_cut);

}  // namespace heft
#pragma GCC visibility pop
