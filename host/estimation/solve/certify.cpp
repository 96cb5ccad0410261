// Certifies from physical data in long double, except for the bound over a box. Shares the
// constraints and scales of Problem, but no code with the solvers.
#include "heft/solve/solve.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "heft/model/robot.hpp"
#include "linalg/factorizations.hpp"
#include "linalg/symmetric_eigen.hpp"

namespace heft {

namespace {

using Real = long double;
using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using Matrix4 = Eigen::Matrix<Real, 4, 4>;

constexpr int kNum = core::kNumParameters;
constexpr double kFloorOfUnit = 1e-10;  // of tau'W tau, FORMULAS 2
constexpr double kTrustFactor = 10;     // radius of the box where strong convexity is missing
constexpr Real kLeastPivot = 1e-17L;    // least squared pivot of a Hessian that counts as definite,
                                        // relative

Matrix4 pseudo_inertia_of(const Vector& x, int first) {
  Real J[16];
  core::pseudo_inertia_from_parameters(x.data() + first, J);
  return Eigen::Map<Eigen::Matrix<Real, 4, 4, Eigen::RowMajor>>(J);
}

bool is_positive_definite(const Matrix& M) {
  return M.allFinite() && Eigen::LLT<Matrix>(M).info() == Eigen::Success;
}

// symmetric matrix of a block in svec order (column-wise lower triangle, off-diagonals times sqrt
// 2)
Matrix unpack(const Real* v, int n) {
  Matrix M(n, n);
  for (int column = 0; column < n; ++column) {
    for (int row = column; row < n; ++row, ++v)
      M(row, column) = M(column, row) = row == column ? *v : *v / std::sqrt(Real(2));
  }
  return M;
}

void pack(const Matrix& M, Real* v) {
  for (Eigen::Index column = 0; column < M.cols(); ++column) {
    for (Eigen::Index row = column; row < M.rows(); ++row) {
      *v++ = row == column ? M(row, row) : (M(row, column) + M(column, row)) / std::sqrt(Real(2));
    }
  }
}

Real least_eigenvalue(const Matrix& M) {
  if (!M.allFinite()) return std::numeric_limits<Real>::quiet_NaN();
  return SymmetricEigen<Eigen::Dynamic, Real>(M, Eigen::EigenvaluesOnly).eigenvalues()[0];
}

// t - |u| of (t, u)
Real least_of_second_order(const Real* v, int size) {
  return v[0] - Eigen::Map<const Vector>(v + 1, size - 1).norm();
}

// A M A' in a separate function: Eigen would recompile the product for every type
Matrix congruence(const Matrix& A, const Matrix& M) {
  return A * M * A.transpose();
}

int matrix_size(int block_size) {
  return block_size == ConeShape::kSize4 ? 4 : block_size == ConeShape::kSize6 ? 6 : 1;
}

// One run of the certificate; members follow the order of the proof.
class Certifier {
 public:
  Certifier(const Problem& problem, const Solution& solution)
      : problem_(problem), form_(problem.physical), x_(solution.x.cast<Real>()) {
    lambda_ = solution.multipliers.cast<Real>();
    nu_ = solution.equality_multipliers.cast<Real>();
  }

  Certificate run(const CertifyOptions& options) {
    check_bodies();
    check_constraints();
    check_multipliers();
    build_objective();
    bound_the_gap();
    judge(options);
    return result_;
  }

 private:
  bool held(int body) const { return problem_.prior.held[body]; }

  // J of every body: Cholesky, and the largest t with J >= t J0
  void check_bodies() {
    result_.bodies_positive_definite = true;
    for (int body = 0; body < problem_.layout.num_bodies(); ++body) {
      const Matrix4 J = pseudo_inertia_of(x_, kNum * body);
      if (held(body)) {
        result_.psd_margin.push_back(0);
        continue;
      }
      const Matrix4 J0 = pseudo_inertia(problem_.prior.references[body]).cast<Real>();
      const Matrix lower = Eigen::LLT<Matrix>(J0).matrixL();
      const Matrix relative = congruence(lower.inverse(), J);
      Real margin = least_eigenvalue(relative);
      // an eigenvalue is an estimate, a Cholesky factorization a verification: step down until it
      // succeeds
      Real slack = 1e-17L * std::max(Real(1), relative.cwiseAbs().maxCoeff());
      for (int tries = 0; tries < 20 && !is_positive_definite(J - (margin - slack) * J0); ++tries)
        slack *= 4;
      result_.psd_margin.push_back(static_cast<double>(margin - slack));
      result_.bodies_positive_definite =
          result_.bodies_positive_definite && is_positive_definite(J);
    }
  }

  // slack A x + a of every block and residual of E x = e, each measured in its own unit
  void check_constraints() {
    slack_ = form_.A.cast<Real>() * x_ + form_.a.cast<Real>();
    Real violation = 0;
    for (int block = 0; block < form_.cone.num_blocks(); ++block) {
      const int begin = form_.cone.block_begin(block), size = form_.cone.block_size(block);
      Real least;
      const ConeKind kind = form_.cone.block_kind(block);
      if (kind == ConeKind::second_order) {
        least = least_of_second_order(slack_.data() + begin, size) / form_.block_scale[block](0, 0);
      } else if (kind == ConeKind::row) {
        // unit of a row: its change when all of its parameters change by the size of the prior
        const Real unit = std::max(Real((form_.A.row(begin) * problem_.S).norm()), Real(1e-300L));
        least = slack_[begin] / unit;
      } else {
        const Matrix inverse = Matrix(form_.block_scale[block].cast<Real>()).inverse();
        least =
            least_eigenvalue(congruence(inverse, unpack(slack_.data() + begin, matrix_size(size))));
      }
      if (!(-least <= violation)) violation = -least;
    }
    result_.constraint_violation = static_cast<double>(violation);

    Real worst = 0;
    equality_residual_ = form_.E.cast<Real>() * x_ - form_.e.cast<Real>();
    for (int row = 0; row < form_.E.rows(); ++row) {
      Real terms = std::abs(form_.e[row]);
      for (RowSparseMatrix::InnerIterator it(form_.E, row); it; ++it)
        terms += std::abs(it.value() * x_[it.col()]);
      const Real relative = std::abs(equality_residual_[row]) / std::max(terms, Real(1e-3));
      if (!(relative <= worst)) worst = relative;
    }
    result_.equality_violation = static_cast<double>(worst);
  }

  // how far the multipliers are outside the dual cone; then moves them inside, so that the bound
  // holds
  void check_multipliers() {
    Real worst = 0, largest = 0;
    for (int block = 0; block < form_.cone.num_blocks(); ++block) {
      const int begin = form_.cone.block_begin(block), size = form_.cone.block_size(block);
      const ConeKind kind = form_.cone.block_kind(block);
      if (kind == ConeKind::second_order) {
        const Real unit = form_.block_scale[block](0, 0);
        const Real least = unit * least_of_second_order(lambda_.data() + begin, size);
        largest = std::max(largest, unit * lambda_.segment(begin, size).cwiseAbs().maxCoeff());
        if (!(-least <= worst)) worst = -least;
        if (least < 0) lambda_[begin] -= least / unit * (1 + 1e-12L);
        continue;
      }
      Matrix factor = Matrix::Constant(1, 1, 1);
      if (kind == ConeKind::row) {
        factor(0, 0) = problem_.row_scale[begin - form_.cone.rows_begin()];
      } else {
        factor = form_.block_scale[block].cast<Real>();
      }
      Matrix scaled =
          congruence(factor.transpose(), unpack(lambda_.data() + begin, matrix_size(size)));
      const Real least = least_eigenvalue(scaled);
      largest = std::max(largest, scaled.cwiseAbs().maxCoeff());
      if (!(-least <= worst)) worst = -least;
      if (least < 0) {
        scaled.diagonal().array() -= least * (1 + 1e-12L);
        const Matrix inverse = factor.inverse();
        pack(congruence(inverse.transpose(), scaled), lambda_.data() + begin);
      }
    }
    result_.dual_violation = static_cast<double>(worst / std::max(largest, Real(1e-30L)));
  }

  // f in physical coordinates: 1/2 x'Hx + q'x + constant - barrier; scaled_ brings bodies to the
  // size of their prior
  void build_objective() {
    const int P = form_.num_parameters, size = form_.size();
    const Real per_row = 1 / Real(problem_.data.num_rows);
    const Prior& prior = problem_.prior;
    H_.setZero(size, size);
    q_.setZero(size);
    H_.topLeftCorner(P, P) = 2 * per_row * problem_.data.G.cast<Real>();
    q_.head(P) = -2 * per_row * problem_.data.b.cast<Real>();
    constant_ = per_row * problem_.data.tau2;
    S_ = problem_.S.cast<Real>();

    for (int body = 0; body < problem_.layout.num_bodies(); ++body) {
      if (!held(body)) add_prior(body);
    }
    for (int column = 0; column < problem_.layout.num_columns(); ++column) {
      const int k = problem_.layout.column_index(column);
      H_(k, k) += 2 * Real(prior.ridge) * per_row * problem_.data.G(k, k);
    }
  }

  // the prior as a quadratic in the ten parameters, from traces of products with unit matrices
  void add_prior(int body) {
    const Prior& prior = problem_.prior;
    const Real w = prior.weight_of(body);
    const int first = kNum * body;
    const Matrix4 inverse = pseudo_inertia(prior.references[body]).cast<Real>().inverse();
    Matrix4 slope[kNum];  // J0^-1 dJ/dpi_k
    for (int k = 0; k < kNum; ++k)
      slope[k] = inverse * pseudo_inertia(BodyParameters::Unit(k)).cast<Real>();
    for (int k = 0; k < kNum; ++k) {
      const Real reference = prior.references[body][k];
      switch (prior.kind) {
        case PriorKind::none:
          break;
        case PriorKind::metric:
          for (int l = 0; l < kNum; ++l)
            H_(first + k, first + l) += 2 * w * (slope[k] * slope[l]).trace();
          q_[first + k] -= 2 * w * slope[k].trace();
          break;
        case PriorKind::entropic:
          q_[first + k] += w * slope[k].trace();
          break;
        case PriorKind::euclidean:
        case PriorKind::diagonal: {
          const Real d = prior.kind == PriorKind::diagonal ? Real(prior.diagonal[body][k]) : 1;
          H_(first + k, first + k) += 2 * w * d;
          q_[first + k] -= 2 * w * d * reference;
          constant_ += w * d * reference * reference;
          break;
        }
      }
    }
    if (prior.kind == PriorKind::metric) constant_ += 4 * w;
    if (prior.kind == PriorKind::entropic) {
      constant_ -= 4 * w;
      // log det(J0^-1 J) = log det J - log det J0; the barrier terms below carry log det J
      constant_ += w * std::log(1 / inverse.determinant());
    }
  }

  void bound_the_gap() {
    const Vector gradient = H_ * x_ + q_;
    Vector r = S_.transpose() * (form_.A.cast<Real>().transpose() * lambda_ - gradient);
    if (form_.E.rows() > 0) r += S_.transpose() * (form_.E.cast<Real>().transpose() * nu_);
    const Real terms = (S_.transpose() * q_).norm() + 1e-30L;
    result_.stationarity = static_cast<double>(r.norm() / terms);

    Real gap = lambda_.dot(slack_);
    if (form_.E.rows() > 0) gap += nu_.dot(equality_residual_);
    Real primal = Real(0.5) * x_.dot(H_ * x_) + q_.dot(x_) + constant_;
    gap += convexity_loss(r);
    add_barrier(primal, gap);
    if (gap < 0) gap = 0;  // due to rounding or slight infeasibility: the bound only gets weaker

    const int P = form_.num_parameters;
    const Vector xp = x_.head(P);
    const NormalEquations& data = problem_.data;
    const Real cost =
        (xp.dot(data.G.cast<Real>() * xp) - 2 * data.b.cast<Real>().dot(xp) + data.tau2) /
        Real(data.num_rows);
    const Real unit = std::max(cost, Real(kFloorOfUnit) * data.tau2 / Real(data.num_rows));
    result_.primal = static_cast<double>(primal);
    result_.dual = static_cast<double>(primal - gap);
    result_.residual_cost = static_cast<double>(cost);
    result_.gap = static_cast<double>(unit > 0 ? gap / unit : gap);
  }

  // Adds a multiple of |E x - e|^2 to f, which is zero for feasible x and adds curvature across the
  // equalities, where a fixed body has neither prior nor data.
  void add_equalities(const Matrix& rows, Matrix& Q, Vector& r) const {
    if (rows.rows() == 0) return;
    const Real curvature = Q.diagonal().mean();
    for (Eigen::Index row = 0; row < rows.rows(); ++row) {
      const Real weight = curvature / std::max(rows.row(row).squaredNorm(), Real(1e-300L));
      Q += weight * rows.row(row).transpose() * rows.row(row);
      r -= weight * equality_residual_[row] * rows.row(row).transpose();
    }
  }

  // 1/2 r'Q^-1 r with Q = S'HS; without strong convexity, the minimum of the Lagrangian over a box
  // around x
  Real convexity_loss(Vector r) {
    Matrix Q = S_.transpose() * H_ * S_;
    const Matrix rows = Matrix(form_.E.cast<Real>()) * S_;
    add_equalities(rows, Q, r);
    const Vector equilibrate = Q.diagonal().cwiseMax(1e-300L).cwiseSqrt().cwiseInverse();
    const Eigen::LLT<Matrix> factor(
        Matrix(equilibrate.asDiagonal() * Q * equilibrate.asDiagonal()));
    const auto pivots = Matrix(factor.matrixLLT()).diagonal().cwiseAbs2().eval();
    result_.rigorous =
        factor.info() == Eigen::Success && (pivots.size() == 0 || pivots.minCoeff() > kLeastPivot);
    if (result_.rigorous) {
      if (pivots.size() > 0)
        result_.condition = static_cast<double>(pivots.maxCoeff() / pivots.minCoeff());
      Vector half = factor.matrixL().solve(Vector(equilibrate.asDiagonal() * r));
      if (form_.E.rows() == 0) return Real(0.5) * half.squaredNorm();
      // any equality multipliers give a bound; this step gives the best one, because it removes r
      // along the rows of E
      const Matrix along =
          factor.matrixL().solve(Matrix(equilibrate.asDiagonal() * rows.transpose()));
      const Vector back = along.colPivHouseholderQr().solve(half);
      half -= along * back;
      return Real(0.5) * half.squaredNorm() - back.dot(equality_residual_);
    }
    result_.condition = std::numeric_limits<double>::infinity();
    const SymmetricEigen<Eigen::Dynamic> eigen(Eigen::MatrixXd(Q.cast<double>()));
    const Eigen::VectorXd z = Eigen::MatrixXd(problem_.S).lu().solve(x_.cast<double>());
    const double radius = kTrustFactor * std::max(1.0, z.norm());
    const Eigen::VectorXd components = eigen.eigenvectors().transpose() * r.cast<double>();
    double loss = 0;
    for (Eigen::Index k = 0; k < components.size(); ++k) {
      const double size = std::abs(components[k]),
                   curvature = std::max(eigen.eigenvalues()[k], 0.0);
      loss += size <= radius * curvature ? (curvature > 0 ? 0.5 * size * size / curvature : 0.0)
                                         : radius * (size - 0.5 * curvature * radius);
    }
    return loss;
  }

  // entropic prior: -w log det J in f, and min over X of -w log det X + tr(S X) = w (4 - 4 log w +
  // log det S) in the bound
  void add_barrier(Real& primal, Real& gap) {
    const Real w = problem_.barrier_weight;
    for (int block = 0; w > 0 && block < form_.cone.num_psd4; ++block) {
      if (!problem_.has_barrier[block]) continue;
      const int begin = form_.cone.block_begin(block);
      const auto log_det = [](const Matrix& M) {
        const Eigen::LLT<Matrix> factor(M);
        return factor.info() == Eigen::Success
                   ? 2 * Matrix(factor.matrixLLT()).diagonal().array().log().sum()
                   : std::numeric_limits<Real>::quiet_NaN();
      };
      const Real of_body = log_det(unpack(slack_.data() + begin, 4));
      const Real of_multiplier = log_det(unpack(lambda_.data() + begin, 4));
      primal -= w * of_body;
      gap -= w * (4 - 4 * std::log(w) + of_body + of_multiplier);
    }
  }

  void judge(const CertifyOptions& options) {
    char text[256];
    double worst_margin = std::numeric_limits<double>::infinity();
    for (int body = 0; body < problem_.layout.num_bodies(); ++body)
      if (!held(body)) worst_margin = std::min(worst_margin, result_.psd_margin[body]);
    if (!std::isfinite(worst_margin)) worst_margin = 0;  // every body is held
    const bool physical =
        problem_.consistency != Consistency::full || result_.bodies_positive_definite;
    if (!(result_.constraint_violation <= options.violation_tolerance) ||
        !(result_.equality_violation <= options.violation_tolerance) || !physical) {
      std::snprintf(
          text, sizeof text,
          "not feasible: constraints are violated by %.1e of their size, equalities by %.1e, "
          "smallest body margin %.1e",
          result_.constraint_violation, result_.equality_violation, worst_margin);
    } else if (!(result_.gap <= options.gap_tolerance)) {
      std::snprintf(text, sizeof text,
                    "feasible, but only verified to be within %.1e of the residual cost of the "
                    "optimum (requested: %.1e)",
                    result_.gap, options.gap_tolerance);
    } else {
      result_.certified = true;
      std::snprintf(
          text, sizeof text,
          "optimal: within %.1e of the residual cost of the best possible%s; smallest body margin "
          "%.1e of the "
          "prior",
          result_.gap,
          result_.rigorous
              ? ""
              : ", provided the optimum lies within ten times the size of the solution",
          worst_margin);
    }
    result_.verdict = text;
  }

  const Problem& problem_;
  const ConicForm& form_;
  Vector x_, lambda_, nu_;
  Vector slack_, equality_residual_;
  Matrix H_;
  Eigen::SparseMatrix<Real> S_;
  Vector q_;
  Real constant_ = 0;
  Certificate result_;
};

}  // namespace

Certificate certify(const Problem& problem, const Solution& solution,
                    const CertifyOptions& options) {
  const ConicForm& form = problem.physical;
  const bool is_answer =
      solution.x.size() == form.size() && solution.multipliers.size() == form.cone.size() &&
      solution.equality_multipliers.size() == form.E.rows() && solution.x.allFinite() &&
      solution.multipliers.allFinite() && solution.equality_multipliers.allFinite();
  if (!is_answer) {
    Certificate nothing;
    nothing.gap = nothing.constraint_violation = std::numeric_limits<double>::infinity();
    nothing.verdict = "no solution to certify";
    return nothing;
  }
  return Certifier(problem, solution).run(options);
}

}  // namespace heft
