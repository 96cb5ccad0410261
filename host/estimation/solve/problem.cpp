// Converts physical to solver coordinates: scales, writes the objective, eliminates the equalities.
#include "heft/solve/problem.hpp"

#include <cmath>

#include "cone.hpp"
#include "conic_form.hpp"
#include "elimination.hpp"
#include "heft/model/robot.hpp"
#include "heft/solve/least_squares.hpp"
#include "linalg/factorizations.hpp"
#include "objective.hpp"
#include "solve/body_scale.hpp"
#include "solve/prior_term.hpp"
#include "solve/problem_again.hpp"
#include "svec.hpp"

namespace heft {

namespace {

constexpr double kDefinite = 1e-13;    // least pivot of a matrix that counts as positive definite,
                                       // relative
constexpr double kNegligible = 1e-14;  // entry of F that is rounding

using Matrix10d = Eigen::Matrix<double, core::kNumParameters, core::kNumParameters>;

// A finite pivot above zero in every step of the factor that scales the body.
bool can_scale(const BodyParameters& reference) {
  if (!reference.allFinite()) return false;
  const Eigen::LLT<Eigen::Matrix4d> factor(pseudo_inertia(reference));
  return factor.info() == Eigen::Success && factor.matrixLLT().diagonal().minCoeff() > 0;
}

// x = S z: congruence for bodies and lifted bodies, unit curvature for extra columns.
RowSparseMatrix variable_scale(const Problem& problem) {
  const ConicForm& form = problem.physical;
  std::vector<Eigen::Triplet<double>> entries;
  const auto add_body = [&](int first, int body) {
    const Matrix10d B = problem.prior.held[body] ? Matrix10d::Identity()
                                                 : body_scale(problem.prior.references[body]);
    for (int row = 0; row < core::kNumParameters; ++row) {
      for (int column = 0; column < core::kNumParameters; ++column) {
        if (B(row, column) != 0) entries.emplace_back(first + row, first + column, B(row, column));
      }
    }
  };
  for (int body = 0; body < problem.layout.num_bodies(); ++body)
    add_body(core::kNumParameters * body, body);
  for (int part = 0; part < form.num_lifted; ++part) {
    add_body(form.num_parameters + core::kNumParameters * part, form.lifted_body[part]);
  }
  for (int column = 0; column < problem.layout.num_columns(); ++column) {
    const int k = problem.layout.column_index(column);
    const double curvature =
        2 * (1 + problem.prior.ridge) * problem.data.G(k, k) / problem.data.num_rows;
    entries.emplace_back(k, k, curvature > 0 ? 1 / std::sqrt(curvature) : 1.0);
  }
  RowSparseMatrix S(form.size(), form.size());
  S.setFromTriplets(entries.begin(), entries.end());
  return S;
}

// One matrix block of A S after congruence with the inverse of its factor.
template <int n>
void scale_matrix_block(const Eigen::MatrixXd& factor, Eigen::Ref<Eigen::MatrixXd> columns,
                        Eigen::Ref<Eigen::VectorXd> offset) {
  const solver::Symmetric<n> inverse = solver::Symmetric<n>(factor).inverse();
  for (Eigen::Index k = 0; k < columns.cols(); ++k) {
    if (columns.col(k).isZero(0)) continue;
    columns.col(k) = solver::congruence<n>(inverse, solver::Svec<n>(columns.col(k)).data());
  }
  offset = solver::congruence<n>(inverse, solver::Svec<n>(offset).data());
}

// `size` rows of A S from `begin`.
Eigen::MatrixXd rows_in_solver_coordinates(const RowSparseMatrix& A, const RowSparseMatrix& S,
                                           int begin, int size) {
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(size, S.cols());
  for (int row = 0; row < size; ++row)
    for (RowSparseMatrix::InnerIterator it(A, begin + row); it; ++it)
      for (RowSparseMatrix::InnerIterator scale(S, it.col()); scale; ++scale)
        rows(row, scale.col()) += it.value() * scale.value();
  return rows;
}

// F z + g: every block of A S z + a measured in units of its own prior, rows to unit length.
RowSparseMatrix write_cone(const RowSparseMatrix& S, Problem& problem) {
  const ConicForm& form = problem.physical;
  problem.cone = form.cone;
  problem.g = form.a;
  problem.row_scale.setOnes(form.cone.num_rows);
  problem.has_barrier.assign(form.cone.num_psd4, false);
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(static_cast<std::size_t>(form.cone.size()));

  for (int block = 0; block < form.cone.num_blocks(); ++block) {
    const int begin = form.cone.block_begin(block);
    const int size = form.cone.block_size(block);
    const ConeKind kind = form.cone.block_kind(block);
    auto offset = problem.g.segment(begin, size);
    if (kind == ConeKind::psd4 && form.block_body[block] >= 0) {
      // a body's own block is the identity by construction: keep it so to the bit
      Eigen::MatrixXd none;
      scale_matrix_block<4>(form.block_scale[block], none, offset);
      const int first = core::kNumParameters * form.block_body[block];
      for (int row = 0; row < size; ++row) entries.emplace_back(begin + row, first + row, 1.0);
      problem.has_barrier[block] = problem.barrier_weight > 0;
      continue;
    }
    Eigen::MatrixXd rows = rows_in_solver_coordinates(form.A, S, begin, size);
    if (kind == ConeKind::psd4) {
      scale_matrix_block<4>(form.block_scale[block], rows, offset);
    } else if (kind == ConeKind::psd6) {
      scale_matrix_block<6>(form.block_scale[block], rows, offset);
    } else if (kind == ConeKind::second_order) {
      // one unit for all its rows: the cone is that of their ratios
      const double length = std::max(rows.rowwise().norm().maxCoeff(), 1e-300);
      rows /= length;
      offset /= length;
      problem.physical.block_scale[block] = Eigen::MatrixXd::Constant(1, 1, length);
    } else {
      // exact where the row is one variable, so that F F' = 1 holds to the bit
      const bool is_single = (rows.array() != 0).count() == 1;
      const double length = is_single ? rows.cwiseAbs().maxCoeff() : rows.norm();
      const double scale = length > 0 ? length : 1;
      rows /= scale;
      offset /= scale;
      problem.row_scale[begin - form.cone.rows_begin()] = scale;
    }
    for (int row = 0; row < size; ++row)
      for (Eigen::Index column = 0; column < rows.cols(); ++column)
        if (rows(row, column) != 0)
          entries.emplace_back(begin + row, static_cast<int>(column), rows(row, column));
  }
  RowSparseMatrix F(form.cone.size(), S.cols());
  F.setFromTriplets(entries.begin(), entries.end());
  return F;
}

// Checks rows and second-order cones that the equalities made constant: if one is violated, the
// problem has no solution.
Result<Done> settle_constant_rows(const Eigen::MatrixXd& F, Problem& problem) {
  for (int block = problem.cone.first_second_order(); block < problem.cone.num_blocks(); ++block) {
    const int row = problem.cone.block_begin(block), size = problem.cone.block_size(block);
    if (F.cols() > 0 && F.middleRows(row, size).cwiseAbs().maxCoeff() > 1e-13) continue;
    if (!(solver::least_eigenvalue(problem.cone, block, problem.g) >= -1e-9)) {
      return Error{"constraint '" + problem.physical.block_names[block] + "'",
                   "cannot be satisfied: equalities and held bodies fix all its parameters",
                   "drop it or free a body"};
    }
    problem.g.segment(row, size) = Eigen::VectorXd::Unit(size, 0);  // any point inside: the block
                                                                    // never acts
  }
  return Done{};
}

/// The prior, independent of the data: a squared distance of every body and the ridge of every
/// column (FORMULAS 2).
bool has_definite_prior(const Problem& problem) {
  const Prior& prior = problem.prior;
  const ParameterLayout& layout = problem.layout;
  if (!prior_term(prior.kind).is_distance()) return false;
  if (problem.physical.E.rows() > 0 || problem.physical.num_lifted > 0) return false;
  if (std::count(prior.held.begin(), prior.held.end(), true) > 0) return false;
  double least = layout.num_bodies() > 0 ? 2 * prior.weight : 1;
  for (const double share : prior.share) least = std::min(least, 2 * prior.weight * share);
  for (int column = 0; column < layout.num_columns(); ++column) {
    const int k = layout.column_index(column);
    if (!(problem.data.G(k, k) > 0)) return false;
    least = std::min(least, prior.ridge / (1 + prior.ridge));  // of a curvature of one
  }
  return least > 10 * kDefinite * problem.Q.diagonal().maxCoeff();
}

bool is_positive_definite(const Eigen::MatrixXd& Q) {
  if (Q.size() == 0) return true;
  const Eigen::VectorXd scale = Q.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  const Eigen::LLT<Eigen::MatrixXd> factor(
      Eigen::MatrixXd(scale.asDiagonal() * Q * scale.asDiagonal()));
  return factor.info() == Eigen::Success &&
         factor.matrixLLT().diagonal().cwiseAbs2().minCoeff() > kDefinite;
}

bool has_orthonormal_rows(const RowSparseMatrix& F) {
  std::vector<bool> is_taken(static_cast<std::size_t>(F.cols()), false);
  bool has_single_ones = true;  // rows of one entry 1, in different columns: the usual case
  for (Eigen::Index row = 0; row < F.rows(); ++row) {
    RowSparseMatrix::InnerIterator it(F, row);
    has_single_ones = has_single_ones && it && std::abs(it.value()) == 1 &&
                      !is_taken[static_cast<std::size_t>(it.col())];
    if (!has_single_ones) break;
    is_taken[static_cast<std::size_t>(it.col())] = true;
    has_single_ones = !++it;
  }
  if (has_single_ones) return true;
  RowSparseMatrix identity(F.rows(), F.rows());
  identity.setIdentity();
  const RowSparseMatrix gram = F * RowSparseMatrix(F.transpose());
  return RowSparseMatrix(gram - identity).norm() == 0;
}

Eigen::VectorXd prior_point(const Problem& problem) {
  Eigen::VectorXd z = Eigen::VectorXd::Zero(problem.physical.size());
  const auto unit = solver::svec<4>(Eigen::Matrix4d::Identity());
  for (int body = 0; body < problem.layout.num_bodies(); ++body)
    z.segment<core::kNumParameters>(core::kNumParameters * body) = unit;
  // a union of k ellipsoids starts with equal shares
  for (int part = 0; part < problem.physical.num_lifted; ++part) {
    const auto& parts = problem.physical.lifted_body;
    const auto share = 1 + std::count(parts.begin(), parts.end(), parts[part]);
    z.segment<core::kNumParameters>(problem.physical.num_parameters + core::kNumParameters * part) =
        unit / static_cast<double>(share);
  }
  return z;
}

// z = offset + N y
Result<Done> eliminate_equalities(Problem& problem) {
  const RowSparseMatrix& S = problem.S;
  const Eigen::MatrixXd E = Eigen::MatrixXd(RowSparseMatrix(problem.physical.E * S));
  HEFT_TRY(elimination, solver::eliminate(E, problem.physical.e, problem.physical.equality_names));
  const RowSparseMatrix& N = elimination.N;
  const Eigen::VectorXd& offset = elimination.offset;
  problem.constant = problem.quadratic(offset);
  problem.c = (N.transpose() * (problem.Q * offset + problem.c)).eval();
  problem.Q = (N.transpose() * (problem.Q * N)).eval();
  const Eigen::MatrixXd whole = problem.F;
  problem.g += whole * offset;
  const Eigen::MatrixXd F = whole * N;
  HEFT_CHECK(settle_constant_rows(F, problem));
  problem.start = Eigen::MatrixXd(N).colPivHouseholderQr().solve(
      Eigen::VectorXd(prior_point(problem) - offset));
  problem.F = F.sparseView(1.0, kNegligible);
  problem.T = S * N;
  problem.x_offset = S * offset;
  return Done{};
}

void write_notes(Problem& problem) {
  for (const auto& repair : problem.prior.repairs) {
    problem.notes.push_back("prior of " + problem.layout.bodies[repair.body] + ": " + repair.what);
  }
  if (!problem.prior.has_weight()) {
    const int P = problem.physical.num_parameters;
    problem.notes.push_back(
        "no prior: solved on the identifiable subspace, " + std::to_string(P - problem.num_unseen) +
        " of " + std::to_string(P) +
        " directions; along the others all points within the constraints are equivalent");
  }
  if (const std::string warning = prior_term(problem.prior.kind).warning(); !warning.empty())
    problem.notes.push_back(warning);
}

}  // namespace

Result<Problem> make_problem(const ParameterLayout& layout, const NormalEquations& equations,
                             const Prior& prior, const Constraints& constraints) {
  HEFT_CHECK(validate(equations, layout.num_parameters(), "problem"));
  return make_problem_again(layout, equations, prior, constraints);
}

Result<Problem> make_problem_again(const ParameterLayout& layout, const NormalEquations& equations,
                                   const Prior& prior, const Constraints& constraints) {
  if (static_cast<int>(prior.references.size()) != layout.num_bodies() ||
      prior.held.size() != prior.references.size()) {
    return Error{"problem", "the prior has a different number of bodies",
                 "create it with the same layout"};
  }
  for (int body = 0; body < layout.num_bodies(); ++body) {
    if (!prior.held[body] && !can_scale(prior.references[body])) {
      return Error{"prior of " + layout.bodies[body],
                   "not a physically consistent inertia (no mass, or the pseudo-inertia is "
                   "not positive definite)",
                   "create the prior with make_prior, which repairs it or holds the body"};
    }
  }
  if ((!prior.columns.empty() && static_cast<int>(prior.columns.size()) != layout.num_columns()) ||
      (!prior.bodies.empty() && static_cast<int>(prior.bodies.size()) != layout.num_bodies()))
    return Error{"problem", "the prior has a different number of bodies or columns",
                 "create it with the same layout"};
  if (prior_term(prior.kind).has_barrier() && constraints.consistency != Consistency::full) {
    return Error{"problem", "the entropic prior requires physically consistent bodies",
                 "use Consistency::full with it"};
  }

  Problem problem;
  problem.layout = layout;
  problem.data = solver::with_beliefs(layout, equations, prior);
  problem.prior = prior;
  problem.consistency = constraints.consistency;
  HEFT_TRY(form, solver::make_conic_form(layout, equations, prior, constraints));
  problem.physical = std::move(form);

  problem.S = variable_scale(problem);
  const RowSparseMatrix& S = problem.S;
  solver::write_objective(S, problem);
  if (!prior.has_weight()) {
    HEFT_TRY(fit, least_squares(layout, equations));
    problem.num_unseen = static_cast<int>(fit.unseen.cols());
  }
  problem.F = write_cone(S, problem);
  if (problem.physical.E.rows() > 0) {
    HEFT_CHECK(eliminate_equalities(problem));
  } else {
    problem.start = prior_point(problem);
    problem.F.prune(1.0, kNegligible);
    problem.T = S;
    problem.x_offset.setZero(S.rows());
  }

  problem.is_strongly_convex = has_definite_prior(problem) || is_positive_definite(problem.Q);
  problem.has_orthonormal_rows = has_orthonormal_rows(problem.F);
  write_notes(problem);
  return problem;
}

Result<Done> Problem::update(const NormalEquations& equations) {
  constexpr char kWhere[] = "problem", kRemedy[] = "create the problem again";
  HEFT_CHECK(validate_entries(equations, layout.num_parameters(), kWhere));
  if (physical.E.rows() > 0) return Error{kWhere, "equalities have been eliminated", kRemedy};
  for (int column = 0; column < layout.num_columns(); ++column) {
    const int k = layout.column_index(column);
    if (!(equations.G(k, k) > 0))
      return Error{kWhere, "the data no longer depend on " + layout.columns[column].name, kRemedy};
  }
  data = equations;
  solver::write_objective(S, *this);
  if (!prior_term(prior.kind).is_distance()) is_strongly_convex = is_positive_definite(Q);
  if (!prior.has_weight()) {
    HEFT_TRY(fit, least_squares(layout, equations));
    num_unseen = static_cast<int>(fit.unseen.cols());
    notes.clear();
    write_notes(*this);
  }
  return Done{};
}

double Problem::quadratic(const Eigen::VectorXd& y) const {
  return 0.5 * y.dot(Q * y) + c.dot(y) + constant;
}

Eigen::VectorXd Problem::extended_parameters(const Eigen::VectorXd& y) const {
  return x_offset + T * y;
}

}  // namespace heft
