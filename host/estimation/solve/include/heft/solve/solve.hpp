// Solvers of a Problem: a semismooth Newton method for plain problems (bodies and signs, metric
// prior), a Nesterov-Todd interior point method, operator splitting (ADMM), or an automatic choice.
// Then the verification and analysis of a solution: its certificate, the price of physics, and a
// second opinion on a chart. Threads: safe to call from several threads on separate objects; const
// objects may be shared.
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

/// Outcome of a solver. Solution::reason explains every status but `optimal`.
enum class SolveStatus {
  optimal,        ///< certified gap and violation are within tolerance
  inaccurate,     ///< progress stopped before the tolerance; close to optimal, see gap
  not_converged,  ///< iteration limit reached
  infeasible,     ///< the constraints contradict each other; see conflicts
  failed,         ///< numerical failure
};

/// The method that solves a problem.
enum class SolveMethod {
  automatic,
  admm,
  interior_point,
  semismooth_newton,  ///< for plain problems, selected automatically; occurs in solutions, not in
                      ///< options
};

/// Convergence data of one iteration.
struct IterationRecord {
  int iteration = 0;
  double objective = 0;  ///< primal objective, dimensionless
  double gap = 0;        ///< relative to the residual cost, FORMULAS 2
  double violation = 0;  ///< largest violation of a cone, scaled coordinates
  double parameter = 0;  ///< penalty of ADMM, barrier parameter of the interior point method
};

/// The result of a solver.
struct Solution {
  SolveStatus status = SolveStatus::failed;
  SolveMethod method = SolveMethod::automatic;  ///< method that produced the solution
  bool by_device = false;  ///< solved by a device in a batch; otherwise by the CPU
  std::string reason;      ///< explanation for the user

  /// Physical parameters: the first ParameterLayout::num_parameters() numbers, followed by the
  /// lifted part.
  Eigen::VectorXd x;
  Eigen::VectorXd multipliers;           ///< physical dual of A x + a in K, svec blocks
  Eigen::VectorXd equality_multipliers;  ///< physical dual of E x = e

  Eigen::VectorXd y;       ///< solver coordinates, for warm starts
  Eigen::VectorXd lambda;  ///< multipliers in solver coordinates

  double objective = 0;  ///< primal objective at x, dimensionless
  double gap = 0;        ///< computed by the solver; Certificate recomputes it from physical data
  int iterations = 0;
  int factorizations = 0;
  std::vector<IterationRecord> history;
  /// Names of the constraints that contradict each other, if infeasible.
  std::vector<std::string> conflicts;
};

// names as in result.json
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

/// Method, tolerances and limits of a solver.
struct SolveOptions {
  SolveMethod method = SolveMethod::automatic;
  double gap_tolerance = 1e-8;        ///< relative to the residual cost (FORMULAS 2)
  double violation_tolerance = 1e-9;  ///< of the cones, in coordinates where the prior is 1
  int max_iterations = 0;  ///< 0: 20 for semismooth Newton, 100 for interior point, 4000 for ADMM
  double penalty_over_weight = 10;  ///< ADMM: rho = this times the prior weight
  double relaxation = 1.6;          ///< ADMM: over-relaxation, in (0, 2)
  int anderson_memory = 10;         ///< ADMM: 0 switches acceleration off
  bool adapt_penalty = true;  ///< ADMM: balance primal and dual residuals when progress stalls
};

/// Checks the options. Error: an invalid option.
Result<Done> validate(const SolveOptions& options);

/// Solves the problem. The outcome is Solution::status. Error: invalid options. Deterministic: the
/// same problem and options give the same bits.
Result<Solution> solve(const Problem& problem, const SolveOptions& options = {});

// Certificate of a solution: a bound computed from unscaled physical data in extended precision, by
// code that no solver uses. It shares with the solvers only the constraints A x + a, E x = e in
// physical units and the scales of Problem (S, of rows, of blocks, of the barrier), as written by
// make_problem; it recomputes the objective.
//
// Weak duality: with multipliers lambda in K* and any nu, every feasible x' has f(x') >= d,
//
//   r   = A'lambda + E'nu - grad f(x)
//   gap = lambda'(A x + a) + nu'(E x - e) + 1/2 r'H^-1 r
//   d   = f(x) - gap
//
// where f, of FORMULAS 2, has the Hessian H, which the prior makes positive definite. The gap
// bounds the distance of f(x) from the optimum and is summed without subtracting two large
// objectives. For an entropic prior, the blocks' log det and its conjugate are added.

/// The certificate of a solution.
struct Certificate {
  bool certified = false;  ///< feasible, with gap and violations within the requested tolerances
  /// The bound holds by strong convexity alone. If false, it holds provided that the optimum is
  /// within ten times the size of the solution.
  bool rigorous = false;
  std::string verdict;  ///< explanation for the user

  double primal = 0;         ///< f(x)
  double dual = 0;           ///< lower bound on the optimum
  double gap = 0;            ///< (primal - dual) / max(residual cost, 1e-10 tau'W tau)
  double residual_cost = 0;  ///< mean squared weighted residual, the data term of f

  /// Largest t per body with J >= t J0, verified by Cholesky; negative: impossible; 0 if the body
  /// is held.
  std::vector<double> psd_margin;
  /// True if Cholesky succeeded for J of every body that is not held.
  bool bodies_positive_definite = false;
  double constraint_violation = 0;  ///< largest violation of all constraints, scaled by the prior
  double equality_violation = 0;    ///< largest |E x - e| relative to the terms of its row
  double dual_violation = 0;  ///< distance of the multipliers from K*, relative to the largest
  double stationarity = 0;    ///< |r| in scaled coordinates, relative to the gradient's terms
  double condition = 0;       ///< of the scaled Hessian, from its Cholesky factor
};

/// Tolerances of a certificate.
struct CertifyOptions {
  double gap_tolerance = 1e-7;        ///< on Certificate::gap
  double violation_tolerance = 1e-8;  ///< on constraint_violation and equality_violation
};

/// Certifies a solution of `problem`: checks that it is feasible and bounds its distance from the
/// optimum. Uses only x and the multipliers of the solution, from any solver; multipliers outside
/// K* are moved inside before the bound is computed. Never fails: a solution of the wrong size or
/// with numbers that are not finite is returned as not certified, with an infinite gap and a
/// verdict that says so.
Certificate certify(const Problem& problem, const Solution& solution,
                    const CertifyOptions& options = {});

// Price of physics: how much the constraints worsen the fit, which bodies and bounds cause it, and
// which channels it affects. A high price indicates an error: a channel that is not a torque, or a
// wrong model.

/// The price of one constraint.
struct ConstraintPrice {
  std::string name;  ///< "physical link_3", "mass of link_2 <= 3"
  int body = -1;     ///< body of its own consistency constraint, else -1
  double price = 0;  ///< objective saved per unit of relaxation, in units of the prior: tr(S J0)
                     ///< for a body
};

/// The cost of all constraints.
struct PriceOfPhysics {
  double objective = 0;                      ///< with the constraints, dimensionless
  double unconstrained_objective = 0;        ///< keeps equalities and held bodies
  double relative = 0;                       ///< relative to the unconstrained residual cost
  std::vector<ConstraintPrice> constraints;  ///< by decreasing price; inactive constraints have
                                             ///< price 0
  std::vector<double> channel_cost;  ///< weighted squared residual per channel over all rows, with
                                     ///< constraints
  std::vector<double> unconstrained_channel_cost;
};

/// Computes the price of the constraints. `channels` are the normal equations of every channel,
/// weighted like those of the problem; may be empty. Errors: the entropic prior, which has no
/// unconstrained optimum; normal equations of another size.
Result<PriceOfPhysics> price_of_physics(const Problem& problem, const Solution& solution,
                                        const std::vector<NormalEquations>& channels = {});

// Second opinion: the plain problem on a chart, where every point is physically consistent and
// there are no constraints. Levenberg-Marquardt with the exact quadratic of the moments, so that a
// step has no cost per sample, and with the convex part of the chart's own curvature.
//
// The problem is convex in the parameters and only the chart makes it nonconvex, so solve() gives
// the certified solution. The chart shows that independent code finds the same optimum if it lies
// inside the set of possible bodies. If it lies on the boundary, coordinates diverge, and the chart
// ends near the optimum with a larger objective. FORMULAS 4.

/// The chart of a solution, and when its iterations stop.
struct ChartSolveOptions {
  ChartKind chart = ChartKind::log_cholesky;
  int max_iterations = 500;
  double tolerance = 1e-13;  ///< on the decrease predicted by the model, relative to the objective
};

/// A solution on a chart.
struct ChartSolution {
  Eigen::VectorXd x;     ///< physical parameters, ParameterLayout::num_parameters() of them
  double objective = 0;  ///< objective of the Problem, dimensionless
  bool converged = false;
  /// Smallest eigenvalue of a body relative to its prior. Below 1e-5 the optimum counts as on the
  /// boundary, which only the manifold chart reaches.
  double least_eigenvalue = 0;
  bool is_on_boundary = false;
  int iterations = 0;
  int evaluations = 0;  ///< evaluations of the objective
  std::string reason;   ///< explanation for the user
};

/// Solves a plain problem on a chart, starting from the prior. Held bodies stay fixed; columns with
/// a sign stay on their side of zero. Errors: a problem that is not plain (constraints other than
/// consistent bodies and signs, a prior that is not metric, no strong convexity), invalid options.
Result<ChartSolution> solve_on_chart(const Problem& problem, const ChartSolveOptions& options = {});

}  // namespace heft
#pragma GCC visibility pop
