// What one pack of problems looks like to the lane kernels: plain data, no Eigen, so that every instruction
// set can compile the same kernels.
//
// Problems of one pack share a shape. Variables are ordered so that the first `num_conic` are the slacks
// themselves (the problem is plain: F y + g in K picks single variables), free ones follow. g is absorbed by a
// shift: lane variable = sign * y + shift.
#pragma once

namespace heft::solver {

struct LaneShape {
  int num_variables = 0;
  int num_conic = 0;  ///< 10 per 4x4 block, then one per row
  int num_psd4 = 0;
};

/// Pointers into storage of the caller; vectors in the order above.
struct LaneProblem {
  const double* Q = nullptr;      ///< n x n, symmetric, in the problem's own order
  const int* order = nullptr;     ///< n, which variable of Q each one is
  const double* sign = nullptr;   ///< n, 1 or -1 times it
  const double* c = nullptr;      ///< n, before the shift
  const double* shift = nullptr;  ///< n
  double constant = 0;            ///< of the objective, before the shift
  const double* start = nullptr;  ///< n, first point
  /// n each; the data term of the objective f is f(y) - sum of prior_weight (y - prior_centre)^2.
  const double* prior_weight = nullptr;
  const double* prior_centre = nullptr;
  double least_cost = 0;  ///< floor of the residual cost that gaps are relative to
  double penalty = 1;     ///< rho
};

struct LaneOptions {
  double gap_tolerance = 1e-8;
  double relaxation = 1.6;
  int max_admm_iterations = 1000;  ///< 0: the interior point method from the first point
  int max_newton_steps = 30;       ///< 0: ADMM to the end
};

struct LaneAnswer {
  bool converged = false;
  int admm_iterations = 0;
  int newton_steps = 0;
  double objective = 0;
  double gap = 0;
  double* y = nullptr;       ///< n, storage of the caller
  double* lambda = nullptr;  ///< num_conic
};

/// Solves `count` problems, as many side by side as there are lanes; one that is done waits for the others.
using SolvePacks = void (*)(const LaneShape&, const LaneProblem* problems, int count, const LaneOptions&,
                            LaneAnswer* answers);

struct LaneSolver {
  const char* name;
  int lanes;
  SolvePacks solve_packs;
};

extern const LaneSolver kLaneSolverAvx512, kLaneSolverAvx2, kLaneSolverBaseline;

}  // namespace heft::solver
