// Ordinary or weighted least squares from normal equations or moments: the answer without prior and
// constraints, the reference that says how much the data alone determine and how many bodies they
// break. Threads: any number of threads may call, each with objects of its own; what is const may
// be shared.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/model/parameter_layout.hpp"
#include "heft/moments/moments.hpp"
#include "heft/moments/normal_equations.hpp"
#include "heft/solve/prior.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct LeastSquaresOptions {
  /// Singular values of the column-scaled rows below this fraction of the largest count as zero. A
  /// Gram matrix in double precision resolves its eigenvalues, their squares, only to about 1e-15
  /// of the largest, so 1e-7 is the smallest cut that is above the noise (FORMULAS 2).
  double rank_cut = 1e-7;
};

struct LeastSquares {
  Eigen::VectorXd x;         ///< P, of minimum norm in column-scaled coordinates
  int rank = 0;              ///< number of directions kept
  double condition = 0;      ///< of the column-scaled rows, over the singular values kept
  double residual_cost = 0;  ///< weighted squared residual, summed over rows: x'Gx - 2 b'x + tau2
  std::vector<int> impossible_bodies;  ///< bodies whose pseudo-inertia is not positive definite
  Eigen::MatrixXd unseen;  ///< P x (P - rank), basis of the directions that the rows leave open
};

/// Minimum-norm least squares. Fails on sizes that disagree, NaN, or a matrix that is not positive
/// semidefinite.
Result<LeastSquares> least_squares(const ParameterLayout& layout, const NormalEquations& equations,
                                   const LeastSquaresOptions& options = {});

/// A minimizer of the same squares with as few columns as it takes, for whom its residual is
/// enough: a tenth of the time. Columns are taken by pivoted Cholesky, the largest left first,
/// until what is left of each is below rank_cut of its own norm; those that are not taken are zero.
/// Errors: those of validate_entries().
Result<Eigen::VectorXd> basic_solution(const ParameterLayout& layout,
                                       const NormalEquations& equations,
                                       const LeastSquaresOptions& options = {});

/// Moves `fit` along its unseen directions U to the point nearest to the prior,
///   x + U z,  z = argmin sum_i |L_i^-1 J_i L_i^-T - 1|_F^2 + sum_k (r_k x_k)^2,   L_i L_i' = J0_i
/// over bodies i and extra columns k, r_k the rms of column k over the rows (FORMULAS 2); a body
/// that the prior holds is measured by its ten numbers. The fit to the rows stays: what they cannot
/// tell comes from the prior. Updates x and impossible_bodies. All arguments are of one layout,
/// which is not checked.
void move_to_prior(LeastSquares& fit, const ParameterLayout& layout,
                   const NormalEquations& equations, const Prior& prior);

/// Refuses normal equations that no data can have produced: wrong size, NaN or infinity, negative
/// diagonal, asymmetric or clearly indefinite G. `where` names them in the error.
Result<Done> validate(const NormalEquations& equations, int num_parameters, const char* where);

/// The same but for diagonal and definiteness; allocates nothing unless it refuses.
Result<Done> validate_entries(const NormalEquations& equations, int num_parameters,
                              const char* where);

// Weighted least squares from moments alone: no second pass over the data.

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
