// Solving a Problem: a semismooth Newton method for plain ones (bodies and signs, metric prior), a
// Nesterov-Todd interior point method, operator splitting (ADMM), or whichever suits. Then what
// verifies and explains the answer: its certificate, the price of physics, and a second opinion on
// a chart. Threads: any number of threads may call, each with objects of its own; what is const may
// be shared.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "heft/base/enum_names.hpp"
#include "heft/base/result.hpp"
#include "heft/charts/chart.hpp"
#include "heft/solve/problem.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Every status but `optimal` comes with a reason.
enum class SolveStatus {
  optimal,        ///< certified gap and violation within tolerance
  inaccurate,     ///< progress ended before the tolerance; close to optimal, see gap
  not_converged,  ///< iteration limit
  infeasible,     ///< the constraints contradict each other; see conflicts
  failed,         ///< numbers broke down
};

enum class SolveMethod {
  automatic,
  admm,
  interior_point,
  semismooth_newton,  ///< of plain problems, chosen by itself: in answers, not in options
};

struct IterationRecord {
  int iteration = 0;
  double objective = 0;  ///< primal objective, pure numbers
  double gap = 0;        ///< relative to the residual cost, FORMULAS 2
  double violation = 0;  ///< largest violation of a cone, scaled coordinates
  double parameter = 0;  ///< penalty of the ADMM, barrier parameter of the interior point method
};

struct Solution {
  SolveStatus status = SolveStatus::failed;
  SolveMethod method = SolveMethod::automatic;  ///< the one that produced the answer
  bool by_device = false;                       ///< in a batch; else the CPU
  std::string reason;                           ///< in plain words

  /// Physical parameters, the first ParameterLayout::num_parameters() numbers; then the lifted
  /// part.
  Eigen::VectorXd x;
  Eigen::VectorXd multipliers;           ///< physical dual of A x + a in K, svec blocks
  Eigen::VectorXd equality_multipliers;  ///< physical dual of E x = e

  Eigen::VectorXd y;       ///< solver coordinates, for warm starts
  Eigen::VectorXd lambda;  ///< multipliers in solver coordinates

  double objective = 0;  ///< primal objective at x, pure numbers
  double gap = 0;        ///< the solver's own; Certificate recomputes it from physical data
  int iterations = 0;
  int factorizations = 0;
  std::vector<IterationRecord> history;
  /// Names of the constraints that contradict each other, if infeasible.
  std::vector<std::string> conflicts;
};

// in the words of result.json and its readers
template <>
struct EnumNames<SolveStatus> {
  static constexpr EnumName<SolveStatus> kList[] = {{SolveStatus::optimal, "optimal"},
                                                    {SolveStatus::inaccurate, "inaccurate"},
                                                    {SolveStatus::not_converged, "not converged"},
                                                    {SolveStatus::infeasible, "infeasible"},
                                                    {SolveStatus::failed, "failed"}};
};

template <>
struct EnumNames<SolveMethod> {
  static constexpr EnumName<SolveMethod> kList[] = {
      {SolveMethod::automatic, "auto"},
      {SolveMethod::admm, "admm"},
      {SolveMethod::interior_point, "interior point"},
      {SolveMethod::semismooth_newton, "semismooth Newton"}};
};

struct SolveOptions {
  SolveMethod method = SolveMethod::automatic;
  double gap_tolerance = 1e-8;        ///< relative to the residual cost (FORMULAS 2)
  double violation_tolerance = 1e-9;  ///< of the cones, in coordinates where the prior is 1
  int max_iterations = 0;  ///< 0: 20 semismooth Newton steps, 100 of the interior point method,
                           ///< 4000 of ADMM
  double penalty_over_weight = 10;  ///< ADMM: rho = this times the prior weight
  double relaxation = 1.6;          ///< ADMM: over-relaxation, in (0, 2)
  int anderson_memory = 10;         ///< ADMM: 0 switches acceleration off
  bool adapt_penalty = true;  ///< ADMM: balance primal and dual residuals when progress stalls
};

/// Refuses options that make no sense.
Result<Done> validate(const SolveOptions& options);

/// Solves the problem. Returns an Error only for options that make no sense; what happened to the
/// problem is Solution::status. Deterministic: same problem and options, same bits.
Result<Solution> solve(const Problem& problem, const SolveOptions& options = {});

// Proof of an answer, from physical, unscaled data in extended precision and by code that no solver
// uses. What it shares with the solvers are the constraints A x + a, E x = e in physical units and
// the scales of Problem (S, of rows, of blocks, of the barrier), as make_problem wrote them; it
// recomputes the objective.
//
// Weak duality: with multipliers lambda in K* and any nu, every feasible x' has f(x') >= d,
//
//   r   = A'lambda + E'nu - grad f(x)
//   gap = lambda'(A x + a) + nu'(E x - e) + 1/2 r'H^-1 r
//   d   = f(x) - gap
//
// where f, of FORMULAS 2, has the Hessian H, which the prior makes positive definite. So gap bounds
// how far f(x) is from the optimum, and it is summed without subtracting two large objectives. Of
// an entropic prior the blocks' log det and its conjugate are added.

struct Certificate {
  bool certified = false;  ///< feasible and with a gap within the tolerances asked for
  /// The bound holds by strong convexity alone; if not, provided that the optimum lies within ten
  /// times the size of the answer.
  bool rigorous = false;
  std::string verdict;  ///< in plain words

  double primal = 0;         ///< f(x)
  double dual = 0;           ///< lower bound on the optimum
  double gap = 0;            ///< (primal - dual) / max(residual cost, 1e-10 tau'W tau)
  double residual_cost = 0;  ///< mean squared weighted residual, the data term of f

  /// Per body the largest t with J >= t J0, proven by Cholesky; negative: impossible; 0 if the body
  /// is held.
  std::vector<double> psd_margin;
  /// Cholesky succeeded for J of every body that is not held.
  bool bodies_positive_definite = false;
  double constraint_violation = 0;  ///< largest of all constraints, scaled by the prior
  double equality_violation = 0;    ///< largest |E x - e| relative to the terms of its row
  double dual_violation = 0;  ///< how far the multipliers are outside K*, relative to the largest
  double stationarity = 0;    ///< |r| in scaled coordinates, relative to the gradient's terms
  double condition = 0;       ///< of the scaled Hessian, from its Cholesky factor
};

struct CertifyOptions {
  double gap_tolerance = 1e-7;        ///< on Certificate::gap
  double violation_tolerance = 1e-8;  ///< on constraint_violation and equality_violation
};

/// Checks a solution of `problem`: whether it is feasible, and how far from the optimum it can be
/// at most. Of the solution only x and the multipliers count, from any solver; multipliers outside
/// K* are moved inside before the bound is computed. Never fails: an answer of the wrong size or
/// with numbers that are not finite comes back not certified, with an infinite gap and a verdict
/// that says so.
Certificate certify(const Problem& problem, const Solution& solution,
                    const CertifyOptions& options = {});

// What physics costs: how much worse the fit is because bodies must be real, which bodies and
// bounds pay, and which channels carry it. A high price is a diagnosis: a channel that is not a
// torque, or a wrong model.

struct ConstraintPrice {
  std::string name;  ///< "physical link_3", "mass of link_2 <= 3"
  int body = -1;     ///< of the body's own constraint, else -1
  double price = 0;  ///< objective saved per unit of relaxation, in units of the prior: tr(S J0) of
                     ///< a body
};

struct PriceOfPhysics {
  double objective = 0;                      ///< with the constraints, pure numbers
  double unconstrained_objective = 0;        ///< equalities and held bodies kept
  double relative = 0;                       ///< of the unconstrained residual cost
  std::vector<ConstraintPrice> constraints;  ///< dearest first; idle ones have price 0
  std::vector<double> channel_cost;  ///< weighted squared residual per channel over all rows,
                                     ///< constrained
  std::vector<double> unconstrained_channel_cost;
};

/// `channels` are the normal equations of every channel, weighted like the problem's; may be empty.
/// Fails for the entropic prior, which has no unconstrained optimum, and for normal equations of
/// another size.
Result<PriceOfPhysics> price_of_physics(const Problem& problem, const Solution& solution,
                                        const std::vector<NormalEquations>& channels = {});

// The second opinion: the plain problem on a chart, where every point is possible and nothing is
// constrained. Levenberg and Marquardt's method with the exact quadratic of the moments, so that a
// step costs nothing per sample, and with what the chart's own bend curves upwards.
//
// The problem is convex in the parameters, and a chart only bends it: solve() is the answer, with
// its certificate. What a chart shows is that other code finds the same optimum where it lies
// inside the possible bodies; where it lies on the boundary, coordinates run to infinity, and a
// chart ends near to it, above it. FORMULAS 4.

struct ChartSolveOptions {
  ChartKind chart = ChartKind::log_cholesky;
  int max_iterations = 500;
  double tolerance = 1e-13;  ///< on the decrease that the model still promises, relative to the
                             ///< objective
};

struct ChartSolution {
  Eigen::VectorXd x;     ///< physical parameters, ParameterLayout::num_parameters() of them
  double objective = 0;  ///< that of the Problem, in pure numbers
  bool converged = false;
  /// Least eigenvalue of a body relative to its prior. Below 1e-5 the optimum is taken to lie on
  /// the boundary, which no chart but the manifold reaches.
  double least_eigenvalue = 0;
  bool is_on_boundary = false;
  int iterations = 0;
  int evaluations = 0;  ///< of the objective
  std::string reason;   ///< in plain words
};

/// From the prior on. Bodies that are held stay; columns with a sign stay on their side of zero.
/// Error: a problem that is not plain (other constraints than possible bodies and signs, a prior
/// that is not metric, no strong convexity), options that make no sense.
Result<ChartSolution> solve_on_chart(const Problem& problem, const ChartSolveOptions& options = {});

}  // namespace heft
#pragma GCC visibility pop
