#include "heft/solve/solve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "heft/charts/chart.hpp"
#include "linalg/factorizations.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "manifold_steps.hpp"
#include "solve/prior_term.hpp"

namespace heft {

namespace {

constexpr double kBoundary = 1e-5;  ///< least eigenvalue relative to the prior

/// A variable that is an entry of x, with its sign: 1, -1, or 0 for both.
struct FreeColumn {
  int index;
  int sign;
};

/// The variables of a problem on a chart: free bodies and columns, and y of x = x_offset + T y.
struct ChartedProblem {
  std::vector<int> bodies;
  std::vector<FreeColumn> columns;
  Eigen::MatrixXd y_of_x;  ///< n x P
};

Error not_plain(const std::string& what) {
  return Error{"chart", what + ", which a chart does not support",
               "use another solver, such as auto; a chart needs the metric prior and "
               "physically consistent bodies, without other constraints"};
}

Result<ChartedProblem> charted(const Problem& problem) {
  const ConicForm& form = problem.physical;
  if (!prior_term(problem.prior.kind).is_distance())
    return not_plain("the problem has no prior, or one other than the metric prior");
  if (!problem.is_strongly_convex)
    return not_plain("the prior weight is so small that the optimum is not unique");
  if (problem.consistency != Consistency::full)
    return not_plain("bodies are not required to be physically consistent");
  if (form.num_lifted > 0 || problem.cone.num_psd6 > 0 || problem.cone.num_second_order() > 0)
    return not_plain(
        "bodies are confined to volumes, or are only partly required to be "
        "physically consistent");
  ChartedProblem chart;
  const int num_bodies = problem.layout.num_bodies(),
            first_column = core::kNumParameters * num_bodies;
  std::vector<bool> is_fixed(static_cast<std::size_t>(form.num_parameters), false);
  for (Eigen::Index row = 0; row < form.E.rows(); ++row)
    for (RowSparseMatrix::InnerIterator entry(form.E, row); entry; ++entry) {
      const int k = static_cast<int>(entry.col());
      if (k < first_column && !problem.prior.held[k / core::kNumParameters])
        return not_plain("parameters have equality constraints");
      is_fixed[k] = true;
    }
  std::vector<int> sign(static_cast<std::size_t>(form.num_parameters), 0);
  for (int row = form.cone.rows_begin(); row < form.cone.size(); ++row) {
    RowSparseMatrix::InnerIterator entry(form.A, row);
    if (!entry || entry.col() < first_column || form.a[row] != 0)
      return not_plain("parameters are bounded");
    sign[entry.col()] = entry.value() > 0 ? 1 : -1;
    if (++entry) return not_plain("sums of parameters are bounded");
  }
  for (int body = 0; body < num_bodies; ++body)
    if (!problem.prior.held[body]) chart.bodies.push_back(body);
  if (form.cone.num_psd4 != static_cast<int>(chart.bodies.size()))
    return not_plain("there are cones besides those of the bodies");
  for (int k = first_column; k < form.num_parameters; ++k)
    if (!is_fixed[k]) chart.columns.push_back({k, sign[k]});
  const Eigen::MatrixXd T = problem.T;
  chart.y_of_x = Eigen::MatrixXd(T.transpose() * T).ldlt().solve(Eigen::MatrixXd(T.transpose()));
  return chart;
}

/// State of the iteration: points of the bodies, their parameters, the objective.
struct Place {
  std::vector<Eigen::VectorXd> points;
  Eigen::VectorXd x;
  double objective = std::numeric_limits<double>::infinity();
};

class ChartSolver {
 public:
  ChartSolver(const Problem& problem, const ChartSolveOptions& options, ChartedProblem charted,
              std::vector<BodyChart> charts)
      : problem_(problem),
        options_(options),
        charted_(std::move(charted)),
        charts_(std::move(charts)) {}

  ChartSolution solve(Place place) {
    ChartSolution solution;
    double damping = 1e-3;
    evaluate(place, solution);
    while (solution.iterations < options_.max_iterations) {
      ++solution.iterations;
      const Eigen::MatrixXd slope = slopes(place);
      const Eigen::VectorXd y = solver_coordinates(place.x);
      const Eigen::VectorXd by_y = problem_.Q * y + problem_.c, gradient = slope.transpose() * by_y;
      Eigen::MatrixXd H = slope.transpose() * (problem_.Q * slope);
      add_bend(place, by_y, H);
      bool moved = false, was_refused = false;
      while (!moved) {
        const Eigen::VectorXd step = damped_step(H, gradient, place, damping);
        const double promised = -(gradient.dot(step) + 0.5 * step.dot(H * step));
        const bool is_little = !(promised > options_.tolerance * std::abs(place.objective));
        if (is_little && (damping < 1e-9 || was_refused)) break;
        if (is_little) {
          damping *= 0.01;
          continue;
        }
        Place next = stepped(place, step);
        evaluate(next, solution);
        const double gain = (place.objective - next.objective) / promised;
        moved = gain > 1e-4;
        was_refused = !moved;
        if (moved) place = std::move(next);
        damping = gain > 0.5 ? std::max(damping * 0.1, 1e-12) : moved ? damping : damping * 10;
        if (damping > 1e12) break;  // at rounding: no direction decreases the objective
      }
      if (!moved) {
        solution.converged = true;
        break;
      }
    }
    finish(place, solution);
    return solution;
  }

 private:
  int size() const {
    return 10 * static_cast<int>(charted_.bodies.size()) +
           static_cast<int>(charted_.columns.size());
  }

  Eigen::VectorXd solver_coordinates(const Eigen::VectorXd& x) const {
    return charted_.y_of_x * (x - problem_.x_offset);
  }

  void evaluate(Place& place, ChartSolution& solution) const {
    ++solution.evaluations;
    for (std::size_t i = 0; i < charted_.bodies.size(); ++i)
      place.x.segment<core::kNumParameters>(core::kNumParameters * charted_.bodies[i]) =
          charts_[i].parameters(place.points[i]);
    place.objective = place.x.allFinite() ? problem_.quadratic(solver_coordinates(place.x))
                                          : std::numeric_limits<double>::infinity();
  }

  bool is_manifold() const { return options_.chart == ChartKind::manifold; }

  ChartJacobian jacobian(std::size_t i, const Place& place) const {
    return is_manifold() ? manifold_steps::jacobian(place.points[i])
                         : charts_[i].jacobian(place.points[i]);
  }

  /// d y / d step.
  Eigen::MatrixXd slopes(const Place& place) const {
    Eigen::MatrixXd slope(charted_.y_of_x.rows(), size());
    for (std::size_t i = 0; i < charted_.bodies.size(); ++i)
      slope.middleCols<10>(10 * i) = charted_.y_of_x.middleCols<core::kNumParameters>(
                                         core::kNumParameters * charted_.bodies[i]) *
                                     jacobian(i, place);
    for (std::size_t j = 0; j < charted_.columns.size(); ++j)
      slope.col(10 * charted_.bodies.size() + j) = charted_.y_of_x.col(charted_.columns[j].index);
    return slope;
  }

  /// sum_k g_k d^2 x_k / dstep^2 of a body, by differences of J'g for constant g.
  Eigen::Matrix<double, 10, 10> bend(std::size_t i, const Place& place,
                                     const BodyParameters& g) const {
    if (is_manifold()) return manifold_steps::bend(place.points[i], g);
    constexpr double kDifference = 1e-5;
    const BodyChart& chart = charts_[i];
    Eigen::Matrix<double, 10, 10> bend;
    for (int k = 0; k < 10; ++k) {
      const Eigen::Matrix<double, 10, 1> step =
          kDifference * Eigen::Matrix<double, 10, 10>::Identity().col(k);
      bend.col(k) = (chart.gradient(chart.moved(place.points[i], step), g) -
                     chart.gradient(chart.moved(place.points[i], -step), g)) /
                    (2 * kDifference);
    }
    return bend;
  }

  /// Adds the positive curvature due to the chart itself. Without it, logarithmic coordinates
  /// decrease until their gradient vanishes and cannot return; at an interior optimum it is zero.
  void add_bend(const Place& place, const Eigen::VectorXd& by_y, Eigen::MatrixXd& H) const {
    using Matrix10 = Eigen::Matrix<double, 10, 10>;
    for (std::size_t i = 0; i < charted_.bodies.size(); ++i) {
      const BodyParameters g =
          charted_.y_of_x
              .middleCols<core::kNumParameters>(core::kNumParameters * charted_.bodies[i])
              .transpose() *
          by_y;
      const Matrix10 curved = bend(i, place, g);
      if (!curved.allFinite()) continue;
      const SymmetricEigen<Eigen::Dynamic> eigen(0.5 * (curved + curved.transpose()));
      H.block<10, 10>(10 * i, 10 * i) += eigen.eigenvectors() *
                                         eigen.eigenvalues().cwiseMax(0.0).asDiagonal() *
                                         eigen.eigenvectors().transpose();
    }
  }

  /// Columns with a sign constraint at zero whose step would violate it.
  bool is_stopped(int k, const Eigen::VectorXd& gradient, const Place& place) const {
    const int num_chart = 10 * static_cast<int>(charted_.bodies.size());
    if (k >= num_chart) {
      const FreeColumn& column = charted_.columns[k - num_chart];
      return column.sign != 0 && column.sign * place.x[column.index] <= 0 &&
             column.sign * gradient[k] > 0;
    }
    return false;
  }

  Eigen::VectorXd damped_step(const Eigen::MatrixXd& H, const Eigen::VectorXd& gradient,
                              const Place& place, double damping) const {
    std::vector<int> free;
    for (int k = 0; k < size(); ++k)
      if (!is_stopped(k, gradient, place) && H(k, k) > 0) free.push_back(k);
    Eigen::MatrixXd A = H(free, free);
    // to unit diagonal: coordinates of a chart differ in size by orders of magnitude
    const Eigen::VectorXd scale = A.diagonal().cwiseSqrt().cwiseInverse();
    A = (scale.asDiagonal() * A * scale.asDiagonal()).eval();
    A.diagonal().array() += damping;
    const Eigen::VectorXd scaled =
        A.ldlt().solve(Eigen::VectorXd(scale.cwiseProduct(Eigen::VectorXd(gradient(free)))));
    Eigen::VectorXd step = Eigen::VectorXd::Zero(size());
    for (std::size_t i = 0; i < free.size(); ++i) step[free[i]] = -scale[i] * scaled[i];
    if (!step.allFinite()) step.setZero();
    return step;
  }

  Place stepped(const Place& place, const Eigen::VectorXd& step) const {
    Place next = place;
    for (std::size_t i = 0; i < charted_.bodies.size(); ++i) {
      const Eigen::Matrix<double, 10, 1> of_body = step.segment<10>(10 * i);
      next.points[i] = is_manifold() ? manifold_steps::moved(place.points[i], of_body)
                                     : charts_[i].moved(place.points[i], of_body);
    }
    for (std::size_t j = 0; j < charted_.columns.size(); ++j) {
      const FreeColumn& column = charted_.columns[j];
      double& number = next.x[column.index];
      number += step[10 * charted_.bodies.size() + j];
      if (column.sign * number < 0) number = 0;
    }
    return next;
  }

  void finish(const Place& place, ChartSolution& solution) const {
    solution.x = place.x.head(problem_.physical.num_parameters);
    solution.objective = place.objective;
    solution.least_eigenvalue = std::numeric_limits<double>::infinity();
    for (const int body : charted_.bodies) {
      const Eigen::Vector4d relative = generalized_eigenvalues(
          pseudo_inertia(place.x.segment<core::kNumParameters>(core::kNumParameters * body)),
          pseudo_inertia(problem_.prior.references[body]));
      solution.least_eigenvalue = std::min(solution.least_eigenvalue, relative[0]);
    }
    solution.is_on_boundary = solution.least_eigenvalue < kBoundary;
    if (solution.is_on_boundary && !is_manifold())
      solution.reason =
          "the optimum lies on the boundary of the physically consistent bodies, "
          "which a chart cannot reach: this result is close to the optimum and "
          "above it";
    else if (solution.converged)
      solution.reason = "converged after " + std::to_string(solution.iterations) + " iterations";
    else
      solution.reason =
          "still decreasing after " + std::to_string(solution.iterations) + " iterations";
  }

  const Problem& problem_;
  const ChartSolveOptions& options_;
  const ChartedProblem charted_;
  const std::vector<BodyChart> charts_;
};

}  // namespace

Result<ChartSolution> solve_on_chart(const Problem& problem, const ChartSolveOptions& options) {
  if (options.max_iterations < 1)
    return Error{"max_iterations", "is less than 1", "allow at least one iteration"};
  if (!(options.tolerance > 0)) return Error{"tolerance", "is not positive", "use at least 1e-13"};
  HEFT_TRY(chart, charted(problem));
  Place start;
  std::vector<BodyChart> charts;
  start.x = problem.extended_parameters(problem.start);
  for (const int body : chart.bodies) {
    const BodyParameters& reference = problem.prior.references[body];
    auto made = BodyChart::make(options.chart, reference);
    if (!made)
      return Error{problem.layout.bodies[body] + ": " + made.error().where, made.error().what,
                   made.error().remedy};
    const ChartPoint point = made->point(reference);
    if (point.numbers.size() == 0)
      return Error{problem.layout.bodies[body], "has a prior without coordinates on this chart",
                   "fix the prior inertia of this body"};
    charts.push_back(*made);
    start.points.push_back(point.numbers);
  }
  return ChartSolver(problem, options, std::move(chart), std::move(charts)).solve(std::move(start));
}

}  // namespace heft
