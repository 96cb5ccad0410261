// From physical to solver coordinates: scale, write the objective, eliminate the equalities.
#include "heft/solve/problem.hpp"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <cmath>

#include "cone.hpp"
#include "conic_form.hpp"
#include "elimination.hpp"
#include "heft/model/robot.hpp"
#include "heft/solve/least_squares.hpp"
#include "svec.hpp"

namespace heft {

namespace {

constexpr int kNum = core::kNumParameters;
constexpr double kDefinite = 1e-13;  // least pivot of a matrix that counts as positive definite, relative

using Matrix10d = Eigen::Matrix<double, kNum, kNum>;

// A finite pivot above zero in every step of the factor that scales the body.
bool can_scale(const BodyParameters& reference) {
  if (!reference.allFinite()) return false;
  const Eigen::LLT<Eigen::Matrix4d> factor(pseudo_inertia(reference));
  return factor.info() == Eigen::Success && factor.matrixLLT().diagonal().minCoeff() > 0;
}

// pi = B z for a body: z -> svec -> U smat(z) U' -> parameters
Matrix10d body_scale(const BodyParameters& reference) {
  const Eigen::Matrix4d U = solver::upper_factor(reference);
  Matrix10d B;
  for (int k = 0; k < kNum; ++k) {
    const Eigen::Matrix4d unit = solver::smat<4>(solver::Svec<4>::Unit(k).eval().data());
    B.col(k) = body_parameters(U * unit * U.transpose());
  }
  return B;
}

// x = S z: congruence for bodies and lifted bodies, unit curvature for extra columns.
RowSparseMatrix variable_scale(const Problem& problem) {
  const ConicForm& form = problem.physical;
  std::vector<Eigen::Triplet<double>> entries;
  const auto add_body = [&](int first, int body) {
    const Matrix10d B =
        problem.prior.held[body] ? Matrix10d::Identity() : body_scale(problem.prior.references[body]);
    for (int row = 0; row < kNum; ++row) {
      for (int column = 0; column < kNum; ++column) {
        if (B(row, column) != 0) entries.emplace_back(first + row, first + column, B(row, column));
      }
    }
  };
  for (int body = 0; body < problem.layout.num_bodies(); ++body) add_body(kNum * body, body);
  for (int part = 0; part < form.num_lifted; ++part) {
    add_body(form.num_parameters + kNum * part, form.lifted_body[part]);
  }
  for (int column = 0; column < problem.layout.num_columns(); ++column) {
    const int k = problem.layout.column_index(column);
    const double curvature = 2 * (1 + problem.prior.ridge) * problem.data.G(k, k) / problem.data.num_rows;
    entries.emplace_back(k, k, curvature > 0 ? 1 / std::sqrt(curvature) : 1.0);
  }
  RowSparseMatrix S(form.size(), form.size());
  S.setFromTriplets(entries.begin(), entries.end());
  return S;
}

// f(S z) = 1/2 z'Qz + c'z + constant (+ barrier) of FORMULAS 2.
void write_objective(const RowSparseMatrix& S, Problem& problem) {
  const int P = problem.physical.num_parameters;
  const int size = problem.physical.size();
  const double per_row = 1 / problem.data.num_rows;
  const Prior& prior = problem.prior;
  const RowSparseMatrix Sx = S.topLeftCorner(P, P);

  problem.Q.setZero(size, size);
  problem.c.setZero(size);
  problem.Q.topLeftCorner(P, P) = 2 * per_row * (Sx.transpose() * (problem.data.G * Sx));
  problem.c.head(P) = -2 * per_row * (Sx.transpose() * problem.data.b);
  problem.constant = per_row * problem.data.tau2;

  const Eigen::Matrix<double, kNum, 1> unit = solver::svec<4>(Eigen::Matrix4d::Identity());
  for (int body = 0; body < problem.layout.num_bodies(); ++body) {
    if (prior.held[body]) continue;
    const int first = kNum * body;
    const double weight = prior.weight_of(body);
    auto Q = problem.Q.block<kNum, kNum>(first, first);
    auto c = problem.c.segment<kNum>(first);
    switch (prior.kind) {
      case PriorKind::none:
        break;
      case PriorKind::metric:
        Q.diagonal().array() += 2 * weight;
        c -= 2 * weight * unit;
        problem.constant += 4 * weight;
        break;
      case PriorKind::entropic:  // the log det is a barrier, the rest linear
        c += weight * unit;
        problem.constant -= 4 * weight;
        break;
      case PriorKind::euclidean:
      case PriorKind::diagonal: {
        const Matrix10d B = body_scale(prior.references[body]);
        const BodyParameters d =
            prior.kind == PriorKind::diagonal ? prior.diagonal[body] : BodyParameters::Ones();
        const BodyParameters& x0 = prior.references[body];
        Q += 2 * weight * B.transpose() * d.asDiagonal() * B;
        c -= 2 * weight * B.transpose() * d.cwiseProduct(x0);
        problem.constant += weight * x0.dot(d.cwiseProduct(x0));
        break;
      }
    }
  }
  for (int column = 0; column < problem.layout.num_columns(); ++column) {
    const int k = problem.layout.column_index(column);
    const double scale = S.coeff(k, k);
    problem.Q(k, k) += 2 * prior.ridge * per_row * problem.data.G(k, k) * scale * scale;
  }
  problem.Q = (0.5 * (problem.Q + problem.Q.transpose())).eval();
  problem.barrier_weight = prior.kind == PriorKind::entropic ? prior.weight : 0;
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

// F z + g: every block of A S z + a measured in units of its own prior, rows to unit length.
void write_cone(const RowSparseMatrix& S, Eigen::MatrixXd& F, Problem& problem) {
  const ConicForm& form = problem.physical;
  problem.cone = form.cone;
  problem.g = form.a;
  problem.row_scale.setOnes(form.cone.num_rows);
  problem.has_barrier.assign(form.cone.num_psd4, false);
  F = Eigen::MatrixXd(RowSparseMatrix(form.A * S));

  for (int block = 0; block < form.cone.num_blocks(); ++block) {
    const int begin = form.cone.block_begin(block);
    const int size = form.cone.block_size(block);
    auto rows = F.middleRows(begin, size);
    auto offset = problem.g.segment(begin, size);
    if (size == ConeShape::kSize4) {
      scale_matrix_block<4>(form.block_scale[block], rows, offset);
      if (form.block_body[block] >= 0) {
        // a body's own block is the identity by construction: keep it so to the bit
        rows.setZero();
        rows.middleCols(kNum * form.block_body[block], kNum).setIdentity();
        problem.has_barrier[block] = problem.barrier_weight > 0;
      }
    } else if (size == ConeShape::kSize6) {
      scale_matrix_block<6>(form.block_scale[block], rows, offset);
    } else {
      // exact where the row is one variable, so that F F' = 1 holds to the bit
      const bool is_single = (rows.array() != 0).count() == 1;
      const double length = is_single ? rows.cwiseAbs().maxCoeff() : rows.norm();
      const double scale = length > 0 ? length : 1;
      rows /= scale;
      offset /= scale;
      problem.row_scale[begin - form.cone.rows_begin()] = scale;
    }
  }
}

// Rows that the equalities made constant: harmless if they hold, else the problem has no solution.
Result<Done> settle_constant_rows(const Eigen::MatrixXd& F, Problem& problem) {
  for (int block = problem.cone.num_psd4 + problem.cone.num_psd6; block < problem.cone.num_blocks();
       ++block) {
    const int row = problem.cone.block_begin(block);
    if (F.cols() > 0 && F.row(row).cwiseAbs().maxCoeff() > 1e-13) continue;
    if (!(problem.g[row] >= -1e-9)) {
      return Error{"constraint '" + problem.physical.block_names[block] + "'",
                   "cannot hold: equalities and held bodies fix all that it constrains",
                   "drop it or free a body"};
    }
    problem.g[row] = 1;  // any positive number: the row never acts
  }
  return Done{};
}

bool is_positive_definite(const Eigen::MatrixXd& Q) {
  if (Q.size() == 0) return true;
  const Eigen::VectorXd scale = Q.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  const Eigen::LLT<Eigen::MatrixXd> factor(Eigen::MatrixXd(scale.asDiagonal() * Q * scale.asDiagonal()));
  return factor.info() == Eigen::Success && factor.matrixLLT().diagonal().cwiseAbs2().minCoeff() > kDefinite;
}

bool has_orthonormal_rows(const RowSparseMatrix& F) {
  if (F.rows() == 0) return true;
  RowSparseMatrix identity(F.rows(), F.rows());
  identity.setIdentity();
  const RowSparseMatrix gram = F * RowSparseMatrix(F.transpose());
  return RowSparseMatrix(gram - identity).norm() == 0;
}

Eigen::VectorXd prior_point(const Problem& problem) {
  Eigen::VectorXd z = Eigen::VectorXd::Zero(problem.physical.size());
  const auto unit = solver::svec<4>(Eigen::Matrix4d::Identity());
  for (int body = 0; body < problem.layout.num_bodies(); ++body) z.segment<kNum>(kNum * body) = unit;
  // a union of k ellipsoids starts with equal shares
  for (int part = 0; part < problem.physical.num_lifted; ++part) {
    const auto& parts = problem.physical.lifted_body;
    const auto share = 1 + std::count(parts.begin(), parts.end(), parts[part]);
    z.segment<kNum>(problem.physical.num_parameters + kNum * part) = unit / static_cast<double>(share);
  }
  return z;
}

void write_notes(Problem& problem) {
  for (const auto& repair : problem.prior.repairs) {
    problem.notes.push_back("prior of " + problem.layout.bodies[repair.body] + ": " + repair.what);
  }
  if (problem.prior.kind == PriorKind::none) {
    const int P = problem.physical.num_parameters;
    problem.notes.push_back("no prior: solved on the identifiable subspace, " +
                            std::to_string(P - problem.num_unseen) + " of " + std::to_string(P) +
                            " directions; along the others every point within the constraints is as good");
  }
  if (problem.prior.kind == PriorKind::euclidean) {
    problem.notes.push_back(
        "euclidean prior: mixes kg and kg m^2 and is badly conditioned; the metric prior is the default for "
        "a reason");
  }
}

}  // namespace

Result<Problem> make_problem(const ParameterLayout& layout, const NormalEquations& equations,
                             const Prior& prior, const Constraints& constraints) {
  HEFT_CHECK(validate(equations, layout.num_parameters(), "problem"));
  if (static_cast<int>(prior.references.size()) != layout.num_bodies() ||
      prior.held.size() != prior.references.size()) {
    return Error{"problem", "the prior is for another number of bodies", "make it with the same layout"};
  }
  for (int body = 0; body < layout.num_bodies(); ++body) {
    if (!prior.held[body] && !can_scale(prior.references[body])) {
      return Error{"prior of " + layout.bodies[body],
                   "not the inertia of a real body (no mass, or pseudo-inertia not positive definite)",
                   "make the prior with make_prior, which repairs it or holds the body"};
    }
  }
  if (prior.kind == PriorKind::entropic && constraints.consistency != Consistency::full) {
    return Error{"problem", "the entropic prior implies physical bodies", "use Consistency::full with it"};
  }

  Problem problem;
  problem.layout = layout;
  problem.data = equations;
  problem.prior = prior;
  problem.consistency = constraints.consistency;
  HEFT_TRY(form, solver::make_conic_form(layout, equations, prior, constraints));
  problem.physical = std::move(form);

  problem.S = variable_scale(problem);
  const RowSparseMatrix& S = problem.S;
  write_objective(S, problem);
  if (prior.kind == PriorKind::none) {
    HEFT_TRY(fit, least_squares(layout, equations));
    problem.num_unseen = static_cast<int>(fit.unseen.cols());
  }
  Eigen::MatrixXd F;
  write_cone(S, F, problem);

  // z = offset + N y
  const Eigen::MatrixXd E = Eigen::MatrixXd(RowSparseMatrix(problem.physical.E * S));
  HEFT_TRY(elimination, solver::eliminate(E, problem.physical.e, problem.physical.equality_names));
  const RowSparseMatrix& N = elimination.N;
  const Eigen::VectorXd& offset = elimination.offset;
  if (problem.physical.E.rows() > 0) {
    problem.constant = problem.quadratic(offset);
    problem.c = (N.transpose() * (problem.Q * offset + problem.c)).eval();
    problem.Q = (N.transpose() * (problem.Q * N)).eval();
    problem.g += F * offset;
    F = (F * N).eval();
    HEFT_CHECK(settle_constant_rows(F, problem));
    problem.start = Eigen::MatrixXd(N).colPivHouseholderQr().solve(prior_point(problem) - offset);
  } else {
    problem.start = prior_point(problem);
  }
  problem.F = F.sparseView(1.0, 1e-14);
  problem.T = S * N;
  problem.x_offset = S * offset;

  problem.is_strongly_convex = is_positive_definite(problem.Q);
  problem.has_orthonormal_rows = has_orthonormal_rows(problem.F);
  write_notes(problem);
  return problem;
}

}  // namespace heft
