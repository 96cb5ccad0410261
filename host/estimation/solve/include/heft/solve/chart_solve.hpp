// The second opinion: the plain problem on a chart, where every point is possible and nothing is
// constrained. Levenberg and Marquardt's method with the exact quadratic of the moments, so that a
// step costs nothing per sample, and with what the chart's own bend curves upwards.
//
// The problem is convex in the parameters, and a chart only bends it: solve() is the answer, with
// its certificate. What a chart shows is that other code finds the same optimum where it lies
// inside the possible bodies; where it lies on the boundary, coordinates run to infinity, and a
// chart ends near to it, above it. FORMULAS 4. Threads: any number of threads may call, each with
// objects of its own; what is const may be shared.
#pragma once

#include <string>

#include "heft/base/result.hpp"
#include "heft/charts/chart_kind.hpp"
#include "heft/solve/problem.hpp"

#pragma GCC visibility push(default)
namespace heft {

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
