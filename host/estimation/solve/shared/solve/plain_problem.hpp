// What a problem of a batch looks like to the kernels of lanes and of devices: plain data, no
// Eigen.
//
// The problem is plain: F y + g in K picks single variables. These slacks come first, `num_conic`
// of them; free variables follow. g is absorbed by a shift: variable of the kernels = sign * y +
// shift.
#pragma once

namespace heft::solver {

struct PlainShape {
  int num_variables = 0;
  int num_conic = 0;  ///< 10 per 4x4 block, then one per row
  int num_psd4 = 0;

  bool operator==(const PlainShape&) const = default;
};

/// Pointers into storage of the caller; vectors in the order above.
struct PlainProblem {
  const double* Q = nullptr;      ///< n x n, symmetric, in the problem's own order
  const int* order = nullptr;     ///< n, which variable of Q each one is
  const double* sign = nullptr;   ///< n, 1 or -1 times it
  bool natural = false;           ///< order is 0, 1, .. and every sign 1
  const double* c = nullptr;      ///< n, before the shift
  const double* shift = nullptr;  ///< n
  double constant = 0;            ///< of the objective, before the shift
  /// n each; the data term of the objective f is f(y) - sum of ridge (y - ridge_center)^2, the
  /// prior and the ridge of columns.
  const double* ridge = nullptr;
  const double* ridge_center = nullptr;
  double least_cost = 0;  ///< floor of the residual cost that gaps are relative to
  double penalty = 1;     ///< rho
  /// num_conic multipliers to start with, as an answer's lambda; null: zeros. Devices start there
  /// always.
  const double* warm_lambda = nullptr;
};

/// When to stop.
struct PlainOptions {
  double gap_tolerance = 1e-8;
  int max_steps = 20;  ///< of the semismooth Newton method
};

struct PlainAnswer {
  bool converged = false;
  int steps = 0;
  double objective = 0;
  double gap = 0;
  double* y = nullptr;       ///< n, storage of the caller
  double* lambda = nullptr;  ///< num_conic
};

}  // namespace heft::solver
