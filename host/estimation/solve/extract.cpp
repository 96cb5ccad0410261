#include "extract.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "conic_form.hpp"
#include "heft/model/robot.hpp"
#include "linalg/factorizations.hpp"
#include "linalg/minimum_norm.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "solve/prior_term.hpp"
#include "svec.hpp"

namespace heft::solver {

namespace {

constexpr double kNearlyThere = 1e3;  // times the tolerance: worth calling inaccurate rather than
                                      // not converged

// The solver's block is L^-1 M L^-T, so the multiplier of M is L^-T lambda L^-1.
template <int n>
Svec<n> physical_multiplier(const Eigen::MatrixXd& factor, const double* lambda) {
  const Symmetric<n> inverse_transposed = Symmetric<n>(factor).inverse().transpose();
  return congruence<n>(inverse_transposed, lambda);
}

std::string scientific(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.1e", value);
  return buffer;
}

// Reports that the solution is not unique if neither data nor prior determine some directions.
std::string on_what(const Problem& problem) {
  if (problem.num_unseen == 0) return "";
  const int P = problem.physical.num_parameters;
  return " on the identifiable subspace (" + std::to_string(P - problem.num_unseen) + " of " +
         std::to_string(P) + " directions)";
}

// Replaces the lower triangle by its Cholesky factor. For four rows, Eigen's takes several times as
// long.
void factorize(Eigen::Matrix4d& A) {
  for (int k = 0; k < 4; ++k) {
    A(k, k) = std::sqrt(A(k, k));
    const double inverse = 1 / A(k, k);
    for (int i = k + 1; i < 4; ++i) A(i, k) *= inverse;
    for (int j = k + 1; j < 4; ++j)
      for (int i = j; i < 4; ++i) A(i, j) -= A(i, k) * A(j, k);
  }
}

// Whether all pivots of elimination are positive.
bool is_positive_definite(Eigen::Matrix4d A) {
  for (int k = 0; k < 4; ++k) {
    if (!(A(k, k) > 0)) return false;
    const double inverse = 1 / A(k, k);
    for (int i = k + 1; i < 4; ++i) {
      const double factor = A(i, k) * inverse;
      for (int j = k + 1; j <= i; ++j) A(i, j) -= factor * A(j, k);
    }
  }
  return true;
}

// Sets A = (L^-1 A)^T.
void divide_and_transpose(const Eigen::Matrix4d& lower, Eigen::Matrix4d& A) {
  for (int k = 0; k < 4; ++k) {
    A.row(k) *= 1 / lower(k, k);
    for (int i = k + 1; i < 4; ++i) A.row(i) -= lower(i, k) * A.row(k);
  }
  A.transposeInPlace();
}

// Pseudo-inertia of a body in coordinates in which its prior is 1.
Eigen::Matrix4d relative_to_prior(const BodyParameters& x, const BodyParameters& reference) {
  Eigen::Matrix4d lower = pseudo_inertia(reference), relative = pseudo_inertia(x);
  factorize(lower);
  divide_and_transpose(lower, relative);
  divide_and_transpose(lower, relative);
  return relative;
}

// Whether the smallest eigenvalue of a body relative to its prior is far above rounding, which is
// 1e-14 unless the body is much heavier than its prior. Costs a tenth of what follows.
bool is_clearly_inside(const BodyParameters& x, const BodyParameters& reference) {
  constexpr double kLeast = 1e-6;
  return is_positive_definite(pseudo_inertia(x) - kLeast * pseudo_inertia(reference));
}

// Moves a body toward its prior until its smallest eigenvalue relative to it is above rounding: an
// optimum on the boundary of the cone may lie outside by rounding.
void move_inside(const Problem& problem, double tolerance, Eigen::VectorXd& x) {
  constexpr double kRounding = 64 * std::numeric_limits<double>::epsilon();
  if (problem.consistency != Consistency::full) return;
  for (int body = 0; body < problem.layout.num_bodies(); ++body) {
    if (problem.prior.held[body]) continue;
    const BodyParameters& reference = problem.prior.references[body];
    auto parameters = x.segment<core::kNumParameters>(core::kNumParameters * body);
    if (is_clearly_inside(parameters, reference)) continue;
    const Eigen::Matrix4d relative = relative_to_prior(parameters, reference);
    const double rounding = kRounding * std::max(1.0, relative.cwiseAbs().maxCoeff());
    const Eigen::Matrix4d shift = rounding * Eigen::Matrix4d::Identity();
    if (is_positive_definite(relative - shift)) continue;
    // an optimum on the boundary is within rounding of it; eigenvalues cost twenty times as much
    double least = -rounding;
    if (!is_positive_definite(relative + shift)) {
      least = SymmetricEigen<4>(relative, Eigen::EigenvaluesOnly).eigenvalues()[0];
      if (!(least < rounding) || !(least >= -tolerance)) continue;
    }
    parameters += (rounding - least) * (reference - parameters);
  }
}

}  // namespace

Eigen::VectorXd physical_multipliers(const Problem& problem, const Eigen::VectorXd& lambda) {
  const ConicForm& form = problem.physical;
  Eigen::VectorXd result(form.cone.size());
  for (int block = 0; block < form.cone.num_blocks(); ++block) {
    const int begin = form.cone.block_begin(block);
    const double* data = lambda.data() + begin;
    switch (form.cone.block_kind(block)) {
      case ConeKind::psd4:
        if (Eigen::Map<const Svec<4>>(data).isZero(0)) {  // an unconstrained body
          result.segment<10>(begin).setZero();
        } else {
          result.segment<10>(begin) = physical_multiplier<4>(form.block_scale[block], data);
        }
        break;
      case ConeKind::psd6:
        result.segment<21>(begin) = physical_multiplier<6>(form.block_scale[block], data);
        break;
      case ConeKind::second_order: {
        const int size = form.cone.block_size(block);
        result.segment(begin, size) = lambda.segment(begin, size) / form.block_scale[block](0, 0);
        break;
      }
      case ConeKind::row:
        result[begin] = *data / problem.row_scale[begin - form.cone.rows_begin()];
    }
  }
  return result;
}

Eigen::VectorXd equality_multipliers(const Problem& problem, const Eigen::VectorXd& gradient,
                                     const Eigen::VectorXd& multipliers) {
  const ConicForm& form = problem.physical;
  if (form.E.rows() == 0) return {};
  const Eigen::VectorXd rest = gradient - form.A.transpose() * multipliers;
  const Eigen::MatrixXd scaled = RowSparseMatrix(form.E * problem.S);
  return minimum_norm_solution(scaled.transpose(), problem.S.transpose() * rest);
}

Eigen::VectorXd objective_gradient(const Problem& problem, const Eigen::VectorXd& x) {
  const int P = problem.physical.num_parameters;
  const Prior& prior = problem.prior;
  const NormalEquations& data = problem.data;
  Eigen::VectorXd gradient = Eigen::VectorXd::Zero(problem.physical.size());
  gradient.head(P) = 2 / data.num_rows * (data.G * x.head(P) - data.b);

  for (int body = 0; body < problem.layout.num_bodies(); ++body) {
    if (prior.held[body]) continue;
    gradient.segment<10>(10 * body) +=
        prior_term(prior.kind).gradient(BodyParameters(x.segment<10>(10 * body)), prior, body);
  }
  for (int column = 0; column < problem.layout.num_columns(); ++column) {
    const int k = problem.layout.column_index(column);
    gradient[k] += 2 * prior.ridge * data.G(k, k) / data.num_rows * x[k];
  }
  return gradient;
}

void conclude(const Problem& problem, const SolveOptions& options, const IterationRecord& record,
              Solution& solution) {
  solution.x = problem.extended_parameters(solution.y);
  if (solution.x.allFinite()) move_inside(problem, options.violation_tolerance, solution.x);
  solution.multipliers = physical_multipliers(problem, solution.lambda);
  if (problem.physical.E.rows() > 0) {
    solution.equality_multipliers = equality_multipliers(
        problem, objective_gradient(problem, solution.x), solution.multipliers);
  }
  solution.objective = record.objective;
  solution.gap = record.gap;

  const std::string where_it_stands = "relative gap " + scientific(solution.gap) + " after " +
                                      std::to_string(solution.iterations) + " iterations of " +
                                      enum_name(solution.method) + on_what(problem);
  if (solution.status == SolveStatus::optimal) {
    solution.reason = where_it_stands;
    return;
  }
  if (!std::isfinite(record.objective) || !solution.x.allFinite()) {
    solution.status = SolveStatus::failed;
    solution.reason =
        "the computation failed: the problem is too badly scaled for double "
        "precision; raise the prior weight";
    return;
  }
  const bool near = record.gap <= kNearlyThere * options.gap_tolerance &&
                    record.violation <= kNearlyThere * options.violation_tolerance;
  solution.status = near ? SolveStatus::inaccurate : SolveStatus::not_converged;
  solution.reason = where_it_stands + ", constraints violated by " + scientific(record.violation) +
                    ", requested: " + scientific(options.gap_tolerance) +
                    "; raise the prior weight, allow more iterations or try the other method";
}

}  // namespace heft::solver
