// Problems of a batch in the form used by the lane and device kernels: plain data without Eigen.
//
// The problem is plain: F y + g in K selects single variables. These `num_conic` slacks come first,
// followed by the free variables. A shift absorbs g: variable of the kernels = sign * y + shift.
#pragma once

namespace heft::solver {

/// Sizes that problems of a batch have in common.
struct PlainShape {
  int num_variables = 0;
  int num_conic = 0;  ///< 10 per 4x4 block, then one per row
  int num_psd4 = 0;

  bool operator==(const PlainShape&) const = default;
};

/// A problem with pointers into the caller's memory; vectors in the order above.
struct PlainProblem {
  /// n x n, symmetric, in the original order. If `natural`, lane kernels read its upper triangle
  /// and, below the diagonal, no entry further than a register tile.
  const double* Q = nullptr;
  const int* order = nullptr;     ///< n, index in Q of every variable
  const double* sign = nullptr;   ///< n, sign of every variable: 1 or -1
  bool natural = false;           ///< order is 0, 1, .. and all signs are 1
  const double* c = nullptr;      ///< n, before the shift
  const double* shift = nullptr;  ///< n
  double constant = 0;            ///< of the objective, before the shift
  /// n each; the data term of the objective f is f(y) - sum of ridge (y - ridge_center)^2, where
  /// the ridge covers the prior and the ridge of columns.
  const double* ridge = nullptr;
  const double* ridge_center = nullptr;
  double least_cost = 0;  ///< lower bound of the residual cost to which gaps are relative
  double penalty = 1;     ///< rho
  /// num_conic initial multipliers, like a solution's lambda; null: zeros. Devices always start
  /// from zeros.
  const double* warm_lambda = nullptr;
};

/// Stopping criteria.
struct PlainOptions {
  double gap_tolerance = 1e-8;
  int max_steps = 20;  ///< of the semismooth Newton method
};

/// The solution of a plain problem.
struct PlainAnswer {
  bool converged = false;
  int steps = 0;
  double objective = 0;
  double gap = 0;
  double* y = nullptr;       ///< n, memory of the caller
  double* lambda = nullptr;  ///< num_conic
};

}  // namespace heft::solver
