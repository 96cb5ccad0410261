// Ordinary or weighted least squares from normal equations or moments, without prior and
// constraints. The result shows how much the data alone determine and which bodies become
// physically impossible. Threads: safe to call from several threads on separate objects; const
// objects may be shared.
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

/// The rank cut of least squares.
struct LeastSquaresOptions {
  /// Singular values of the column-scaled rows below this fraction of the largest count as zero. A
  /// Gram matrix in double precision resolves its eigenvalues, their squares, only to about 1e-15
  /// of the largest, so 1e-7 is the smallest cut above the noise (FORMULAS 2).
  double rank_cut = 1e-7;
};

/// A least-squares fit.
struct LeastSquares {
  Eigen::VectorXd x;         ///< P, minimum norm in column-scaled coordinates
  int rank = 0;              ///< number of retained directions
  double condition = 0;      ///< of the column-scaled rows, over the retained singular values
  double residual_cost = 0;  ///< weighted squared residual, summed over rows: x'Gx - 2 b'x + tau2
  std::vector<int> impossible_bodies;  ///< bodies whose pseudo-inertia is not positive definite
  Eigen::MatrixXd unseen;  ///< P x (P - rank), basis of the directions that the rows do not
                           ///< determine
};

/// Returns the minimum-norm least-squares fit. Errors: sizes that disagree, NaN, a matrix that is
/// not positive semidefinite.
Result<LeastSquares> least_squares(const ParameterLayout& layout, const NormalEquations& equations,
                                   const LeastSquaresOptions& options = {});

/// Returns a minimizer of the same squares that uses as few columns as possible, ten times faster
/// than least_squares(), for callers that need only its residual. Pivoted Cholesky selects columns
/// by largest remainder until the remainder of each is below rank_cut of the column's norm;
/// unselected columns are zero. Errors: those of validate_entries().
Result<Eigen::VectorXd> basic_solution(const ParameterLayout& layout,
                                       const NormalEquations& equations,
                                       const LeastSquaresOptions& options = {});

/// Moves `fit` along its unseen directions U to the point nearest to the prior,
///   x + U z,  z = argmin sum_i |L_i^-1 J_i L_i^-T - 1|_F^2 + sum_k (r_k x_k)^2,   L_i L_i' = J0_i
/// over bodies i and extra columns k, with r_k the rms of column k over the rows (FORMULAS 2). The
/// distance of a body that the prior holds is measured by its ten numbers. The fit to the rows does
/// not change; only directions that they do not determine are taken from the prior. Updates x and
/// impossible_bodies. All arguments must have the same layout, which is not checked.
void move_to_prior(LeastSquares& fit, const ParameterLayout& layout,
                   const NormalEquations& equations, const Prior& prior);

/// Checks that data can have produced the normal equations. `where` names them in errors. Errors:
/// wrong size, NaN or infinity, negative diagonal, asymmetric or clearly indefinite G.
Result<Done> validate(const NormalEquations& equations, int num_parameters, const char* where);

/// Checks the same except diagonal and definiteness; allocates memory only on error.
Result<Done> validate_entries(const NormalEquations& equations, int num_parameters,
                              const char* where);

// Weighted least squares from moments alone, without a second pass over the data.

/// Both fits, and the weights of the weighted one.
struct WeightedFit {
  LeastSquares ordinary, weighted;
  Eigen::VectorXd channel_weights;  ///< 1 / s_c^2, s_c the rms residual after the last pass
};

/// Returns only the weights of fit_weighted(). Errors: those of basic_solution().
Result<Eigen::VectorXd> weights_of_residuals(const Moments& moments, int passes, double rank_cut);

/// Computes ordinary least squares, then `passes` fits in which every channel is weighted by 1 /
/// s_c^2, with s_c the rms residual of its used rows (FORMULAS 2). Errors: those of least_squares.
Result<WeightedFit> fit_weighted(const Moments& moments, int passes, double rank_cut);

}  // namespace heft
#pragma GCC visibility pop
