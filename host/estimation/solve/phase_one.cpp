#include "phase_one.hpp"

#include <algorithm>
#include <cmath>

#include "cone.hpp"
#include "extract.hpp"
#include "interior_point.hpp"

namespace heft::solver {

namespace {

constexpr double kCurvature = 1e-9;    // keeps the elastic problem strongly convex around the start
constexpr double kInfeasible = 1e-6;   // relaxation that cannot be rounding
constexpr double kSignificant = 1e-3;  // multiplier of a constraint that takes part, of the largest

// variables (y, t); the data part stays empty, so gaps are absolute
Problem elastic_problem(const Problem& problem) {
  const int n = problem.num_variables(), m = problem.cone.size();
  Problem elastic;
  elastic.cone = problem.cone;
  elastic.cone.num_rows += 1;
  elastic.has_barrier.assign(problem.cone.num_psd4, false);

  elastic.Q = kCurvature * Eigen::MatrixXd::Identity(n + 1, n + 1);
  elastic.c.setZero(n + 1);
  elastic.c.head(n) = -kCurvature * problem.start;
  elastic.c[n] = 1;
  elastic.start.setZero(n + 1);
  elastic.start.head(n) = problem.start;
  elastic.is_strongly_convex = true;

  const Eigen::VectorXd unit = cone_unit(problem.cone);
  std::vector<Eigen::Triplet<double>> entries;
  for (int row = 0; row < m; ++row) {
    for (RowSparseMatrix::InnerIterator it(problem.F, row); it; ++it) {
      entries.emplace_back(row, static_cast<int>(it.col()), it.value());
    }
    if (unit[row] != 0) entries.emplace_back(row, n, unit[row]);
  }
  entries.emplace_back(m, n, 1.0);
  elastic.F.resize(m + 1, n + 1);
  elastic.F.setFromTriplets(entries.begin(), entries.end());
  elastic.g.resize(m + 1);
  elastic.g << problem.g, 1.0;

  elastic.data.num_rows = 1;
  elastic.T.resize(0, n + 1);
  elastic.x_offset.resize(0);
  return elastic;
}

}  // namespace

Feasibility phase_one(const Problem& problem) {
  Feasibility result;
  if (problem.cone.size() == 0) return result;
  const Problem elastic = elastic_problem(problem);
  SolveOptions options;
  IterationRecord best;
  const Solution solution = iterate_interior_point(elastic, options, best);
  if (solution.y.size() == 0) return result;

  const int n = problem.num_variables(), m = problem.cone.size();
  const Eigen::VectorXd lambda = solution.lambda.head(m);
  result.needed = solution.y[n];
  // quality of the proof: g'lambda < 0 with F'lambda negligible beside it
  const double depth = -problem.g.dot(lambda);
  const double leak = (problem.F.transpose() * lambda).norm();
  result.infeasible = result.needed > kInfeasible && depth > 0 &&
                      leak * std::max(1.0, problem.start.norm()) < 0.1 * depth;
  if (!result.infeasible) return result;

  const Eigen::VectorXd unit = cone_unit(problem.cone);
  Eigen::VectorXd weight(problem.cone.num_blocks());
  for (int block = 0; block < problem.cone.num_blocks(); ++block) {
    const int begin = problem.cone.block_begin(block), size = problem.cone.block_size(block);
    weight[block] = unit.segment(begin, size).dot(lambda.segment(begin, size));
  }
  for (int block = 0; block < weight.size(); ++block) {
    if (weight[block] > kSignificant * weight.maxCoeff())
      result.conflicts.push_back(problem.physical.block_names[block]);
  }
  const Eigen::VectorXd nu =
      equality_multipliers(problem, Eigen::VectorXd::Zero(problem.physical.size()),
                           physical_multipliers(problem, lambda));
  for (Eigen::Index row = 0; row < nu.size(); ++row) {
    if (std::abs(nu[row]) > kSignificant * nu.cwiseAbs().maxCoeff()) {
      result.conflicts.push_back(problem.physical.equality_names[row]);
    }
  }
  return result;
}

}  // namespace heft::solver
