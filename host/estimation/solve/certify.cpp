// Certifies from physical data in long double, except for a factorization in double whose rounding
// is bounded (verified_loss.hpp) and the bound over a box. Shares the constraints and scales of
// Problem, but no code with the solvers.
#include "heft/solve/solve.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "heft/model/robot.hpp"
#include "linalg/factorizations.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "verified_loss.hpp"

namespace heft {

namespace {

using Real = long double;
using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
template <int n>
using Square = Eigen::Matrix<Real, n, n>;
using Matrix4 = Square<4>;
using Matrix10 = Square<core::kNumParameters>;

constexpr int kNum = core::kNumParameters;
constexpr double kFloorOfUnit = 1e-10;  // of tau'W tau, FORMULAS 2
constexpr double kTrustFactor = 10;     // radius of the box where strong convexity is missing
constexpr Real kLeastPivot = 1e-17L;    // least squared pivot of a Hessian that counts as definite,
                                        // relative

Matrix4 pseudo_inertia_of(const Real* parameters) {
  Real J[16];
  core::pseudo_inertia_from_parameters(parameters, J);
  return Eigen::Map<Eigen::Matrix<Real, 4, 4, Eigen::RowMajor>>(J);
}

// dJ/dpi_k
const std::array<Matrix4, kNum>& unit_pseudo_inertias() {
  static const std::array<Matrix4, kNum> units = [] {
    std::array<Matrix4, kNum> all;
    for (std::size_t k = 0; k < kNum; ++k) {
      Real parameters[kNum] = {};
      parameters[k] = 1;
      all[k] = pseudo_inertia_of(parameters);
    }
    return all;
  }();
  return units;
}

template <int n>
bool is_positive_definite(const Square<n>& M) {
  return M.allFinite() && Eigen::LLT<Square<n>>(M).info() == Eigen::Success;
}

// symmetric matrix of a block in svec order (column-wise lower triangle, off-diagonals times sqrt
// 2)
template <int n>
Square<n> unpack(const Real* v) {
  static const Real root = std::sqrt(Real(2));
  Square<n> M;
  for (int column = 0; column < n; ++column) {
    for (int row = column; row < n; ++row, ++v)
      M(row, column) = M(column, row) = row == column ? *v : *v / root;
  }
  return M;
}

template <int n>
void pack(const Square<n>& M, Real* v) {
  static const Real root = std::sqrt(Real(2));
  for (int column = 0; column < n; ++column) {
    for (int row = column; row < n; ++row)
      *v++ = row == column ? M(row, row) : (M(row, column) + M(column, row)) / root;
  }
}

// An estimate, to the rounding of double precision.
template <int n>
Real estimated_least_eigenvalue(const Square<n>& M) {
  if (!M.allFinite()) return std::numeric_limits<Real>::quiet_NaN();
  const Real largest = M.cwiseAbs().maxCoeff();
  if (largest == 0) return 0;
  const Eigen::Matrix<double, n, n> rounded = (M / largest).template cast<double>();
  return largest * SymmetricEigen<n>(rounded, Eigen::EigenvaluesOnly).eigenvalues()[0];
}

// A lower bound t of the least eigenvalue of L^-1 M L^-T = `relative`, with M >= t L L'. An
// eigenvalue is an estimate, a Cholesky factorization a verification: steps down until it succeeds.
template <int n>
Real verified_least_eigenvalue(const Square<n>& relative, const Square<n>& M, const Square<n>& unit,
                               Real scale) {
  const Real least = estimated_least_eigenvalue<n>(relative);
  Real slack = 1e-17L * std::max(scale, relative.cwiseAbs().maxCoeff());
  for (int tries = 0; tries < 20 && !is_positive_definite<n>(M - (least - slack) * unit); ++tries)
    slack *= 4;
  return least - slack;
}

template <int n>
Real verified_least_eigenvalue(const Square<n>& M) {
  return verified_least_eigenvalue<n>(M, M, Square<n>::Identity(), 0);
}

// t - |u| of (t, u)
Real least_of_second_order(const Real* v, int size) {
  return v[0] - Eigen::Map<const Vector>(v + 1, size - 1).norm();
}

Vector times(const RowSparseMatrix& M, const Vector& x) {
  Vector product(M.rows());
  for (Eigen::Index row = 0; row < M.rows(); ++row) {
    Real sum = 0;
    for (RowSparseMatrix::InnerIterator it(M, row); it; ++it) sum += it.value() * x[it.col()];
    product[row] = sum;
  }
  return product;
}

// M'x
Vector times_transposed(const RowSparseMatrix& M, const Vector& x) {
  Vector product = Vector::Zero(M.cols());
  for (Eigen::Index row = 0; row < M.rows(); ++row)
    for (RowSparseMatrix::InnerIterator it(M, row); it; ++it)
      product[it.col()] += it.value() * x[row];
  return product;
}

// Gx of a symmetric G, two columns at a time, since a sum waits for its last addend
Vector times_symmetric(const Eigen::MatrixXd& G, const Vector& x) {
  const Eigen::Index n = G.rows();
  Vector product(n);
  Eigen::Index column = 0;
  for (; column + 1 < n; column += 2) {
    const double *first = G.col(column).data(), *second = G.col(column + 1).data();
    Real a = 0, b = 0;
    for (Eigen::Index row = 0; row < n; ++row) {
      a += first[row] * x[row];
      b += second[row] * x[row];
    }
    product[column] = a;
    product[column + 1] = b;
  }
  for (; column < n; ++column) {
    Real sum = 0;
    for (Eigen::Index row = 0; row < n; ++row) sum += G(row, column) * x[row];
    product[column] = sum;
  }
  return product;
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
      const Matrix4 J = pseudo_inertia_of(x_.data() + kNum * body);
      if (held(body)) {
        result_.psd_margin.push_back(0);
        continue;
      }
      const Matrix4 J0 = pseudo_inertia(problem_.prior.references[body]).cast<Real>();
      const Matrix4 lower = Eigen::LLT<Matrix4>(J0).matrixL();
      const Matrix4 inverse = lower.inverse();
      const Matrix4 relative = inverse * J * inverse.transpose();
      result_.psd_margin.push_back(
          static_cast<double>(verified_least_eigenvalue<4>(relative, J, J0, 1)));
      result_.bodies_positive_definite =
          result_.bodies_positive_definite && is_positive_definite<4>(J);
    }
  }

  // slack A x + a of every block and residual of E x = e, each measured in its own unit
  void check_constraints() {
    slack_ = times(form_.A, x_) + form_.a.cast<Real>();
    Real violation = 0;
    for (int block = 0; block < form_.cone.num_blocks(); ++block) {
      const Real least = least_slack(block);
      if (!(-least <= violation)) violation = -least;
    }
    result_.constraint_violation = static_cast<double>(violation);

    Real worst = 0;
    equality_residual_ = times(form_.E, x_) - form_.e.cast<Real>();
    for (int row = 0; row < form_.E.rows(); ++row) {
      Real terms = std::abs(form_.e[row]);
      for (RowSparseMatrix::InnerIterator it(form_.E, row); it; ++it)
        terms += std::abs(it.value() * x_[it.col()]);
      const Real relative = std::abs(equality_residual_[row]) / std::max(terms, Real(1e-3));
      if (!(relative <= worst)) worst = relative;
    }
    result_.equality_violation = static_cast<double>(worst);
  }

  Real least_slack(int block) const {
    const int begin = form_.cone.block_begin(block);
    switch (form_.cone.block_kind(block)) {
      case ConeKind::psd4:
        return least_slack_of_matrix<4>(block, begin);
      case ConeKind::psd6:
        return least_slack_of_matrix<6>(block, begin);
      case ConeKind::second_order:
        return least_of_second_order(slack_.data() + begin, form_.cone.block_size(block)) /
               form_.block_scale[block](0, 0);
      case ConeKind::row:
        break;
    }
    // unit of a row: its change when all of its parameters change by the size of the prior
    return slack_[begin] / std::max(size_in_prior(begin), Real(1e-300L));
  }

  // zero stands for everything above
  template <int n>
  Real least_slack_of_matrix(int block, int begin) const {
    const Square<n> M = unpack<n>(slack_.data() + begin);
    if (is_positive_definite<n>(M)) return 0;
    const Square<n> inverse = Square<n>(form_.block_scale[block].template cast<Real>()).inverse();
    return verified_least_eigenvalue<n>(inverse * M * inverse.transpose());
  }

  // |S'A_row|
  Real size_in_prior(int row) const {
    Vector scaled = Vector::Zero(form_.size());
    for (RowSparseMatrix::InnerIterator it(form_.A, row); it; ++it)
      for (RowSparseMatrix::InnerIterator scale(problem_.S, it.col()); scale; ++scale)
        scaled[scale.col()] += Real(it.value()) * scale.value();
    return scaled.norm();
  }

  // how far the multipliers are outside the dual cone; then moves them inside, so that the bound
  // holds
  void check_multipliers() {
    Real worst = 0, largest = 0;
    for (int block = 0; block < form_.cone.num_blocks(); ++block) {
      const int begin = form_.cone.block_begin(block);
      Real least = 0, size = 0;
      switch (form_.cone.block_kind(block)) {
        case ConeKind::psd4:
          std::tie(least, size) = move_inside<4>(block, begin);
          break;
        case ConeKind::psd6:
          std::tie(least, size) = move_inside<6>(block, begin);
          break;
        case ConeKind::second_order: {
          const int length = form_.cone.block_size(block);
          const Real unit = form_.block_scale[block](0, 0);
          least = unit * least_of_second_order(lambda_.data() + begin, length);
          size = unit * lambda_.segment(begin, length).cwiseAbs().maxCoeff();
          if (least < 0) lambda_[begin] -= least / unit * (1 + 1e-12L);
          break;
        }
        case ConeKind::row:
          least = problem_.row_scale[begin - form_.cone.rows_begin()] * lambda_[begin];
          size = std::abs(least);
          if (least < 0) lambda_[begin] = 0;
          break;
      }
      largest = std::max(largest, size);
      if (!(-least <= worst)) worst = -least;
    }
    result_.dual_violation = static_cast<double>(worst / std::max(largest, Real(1e-30L)));
  }

  // least eigenvalue, if negative, and largest entry of a matrix multiplier in units of the prior
  template <int n>
  std::pair<Real, Real> move_inside(int block, int begin) {
    const Square<n> factor = form_.block_scale[block].template cast<Real>();
    Square<n> scaled = factor.transpose() * unpack<n>(lambda_.data() + begin) * factor;
    const Real size = scaled.cwiseAbs().maxCoeff();
    if (scaled.isZero(0) || is_positive_definite<n>(scaled)) return {0, size};
    const Real least = verified_least_eigenvalue<n>(scaled);
    if (least < 0) {
      scaled.diagonal().array() -= least * (1 + 1e-12L);
      const Square<n> inverse = factor.inverse();
      pack<n>(inverse.transpose() * scaled * inverse, lambda_.data() + begin);
    }
    return {least, size};
  }

  // f in physical coordinates: 1/2 x'Hx + q'x + constant - barrier, where H is 2 G / N and what the
  // prior adds to it
  void build_objective() {
    const int P = form_.num_parameters, size = form_.size();
    per_row_ = 1 / Real(problem_.data.num_rows);
    q_.setZero(size);
    q_.head(P) = -2 * per_row_ * problem_.data.b.cast<Real>();
    constant_ = per_row_ * problem_.data.tau2;
    for (int body = 0; body < problem_.layout.num_bodies(); ++body) {
      prior_curvature_.push_back(Matrix10::Zero());
      if (!held(body)) add_prior(body);
    }
    for (int column = 0; column < problem_.layout.num_columns(); ++column) {
      const int k = problem_.layout.column_index(column);
      ridge_.emplace_back(k, 2 * Real(problem_.prior.ridge) * per_row_ * problem_.data.G(k, k));
    }
  }

  // the prior as a quadratic in the ten parameters, from traces of products with unit matrices
  void add_prior(int body) {
    const Prior& prior = problem_.prior;
    const Real w = prior.weight_of(body);
    const int first = kNum * body;
    Matrix10& curvature = prior_curvature_.back();
    const Matrix4 inverse = pseudo_inertia(prior.references[body]).cast<Real>().inverse();
    Matrix4 slope[kNum];  // J0^-1 dJ/dpi_k
    for (int k = 0; k < kNum; ++k)
      slope[k].noalias() = inverse * unit_pseudo_inertias()[static_cast<std::size_t>(k)];
    for (int k = 0; k < kNum; ++k) {
      const Real reference = prior.references[body][k];
      switch (prior.kind) {
        case PriorKind::none:
          break;
        case PriorKind::metric: {
          const Matrix4 transposed = slope[k].transpose();
          for (int l = 0; l <= k; ++l)
            curvature(k, l) = curvature(l, k) = 2 * w * transposed.cwiseProduct(slope[l]).sum();
          q_[first + k] -= 2 * w * slope[k].trace();
          break;
        }
        case PriorKind::entropic:
          q_[first + k] += w * slope[k].trace();
          break;
        case PriorKind::euclidean:
        case PriorKind::diagonal: {
          const Real d = prior.kind == PriorKind::diagonal ? Real(prior.diagonal[body][k]) : 1;
          curvature(k, k) += 2 * w * d;
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

  // Hx of Gx
  Vector times_hessian(const Vector& x, const Vector& Gx) const {
    Vector product = Vector::Zero(x.size());
    product.head(Gx.size()) = 2 * per_row_ * Gx;
    for (std::size_t body = 0; body < prior_curvature_.size(); ++body) {
      const auto first = static_cast<Eigen::Index>(kNum * body);
      for (int column = 0; column < kNum; ++column)
        product.segment<kNum>(first) += x[first + column] * prior_curvature_[body].col(column);
    }
    for (const auto& [k, curvature] : ridge_) product[k] += curvature * x[k];
    return product;
  }
  Vector times_hessian(const Vector& x) const {
    return times_hessian(x, times_symmetric(problem_.data.G, x.head(form_.num_parameters)));
  }

  template <class Number>
  Eigen::Matrix<Number, Eigen::Dynamic, Eigen::Dynamic> hessian() const {
    const int P = form_.num_parameters, size = form_.size();
    const auto& G = problem_.data.G;
    Eigen::Matrix<Number, Eigen::Dynamic, Eigen::Dynamic> H;
    H.setZero(size, size);
    const auto per_row = static_cast<Number>(2 * per_row_);
    H.topLeftCorner(P, P) = per_row * G.template cast<Number>();
    for (std::size_t body = 0; body < prior_curvature_.size(); ++body) {
      const auto first = static_cast<Eigen::Index>(kNum * body);
      for (Eigen::Index column = first; column < first + kNum; ++column)
        for (Eigen::Index row = first; row < first + kNum; ++row)
          H(row, column) = static_cast<Number>(2 * per_row_ * G(row, column) +
                                               prior_curvature_[body](row - first, column - first));
    }
    for (const auto& [k, curvature] : ridge_)
      H(k, k) = static_cast<Number>(2 * per_row_ * G(k, k) + curvature);
    return H;
  }

  void bound_the_gap() {
    const int P = form_.num_parameters;
    const Vector xp = x_.head(P);
    const Vector Gx = times_symmetric(problem_.data.G, xp), Hx = times_hessian(x_, Gx);
    Vector residual = times_transposed(form_.A, lambda_) - Hx - q_;
    if (form_.E.rows() > 0) residual += times_transposed(form_.E, nu_);
    const Vector r = times_transposed(problem_.S, residual);
    const Real terms = times_transposed(problem_.S, q_).norm() + 1e-30L;
    result_.stationarity = static_cast<double>(r.norm() / terms);

    Real gap = lambda_.dot(slack_);
    if (form_.E.rows() > 0) gap += nu_.dot(equality_residual_);
    Real primal = Real(0.5) * x_.dot(Hx) + q_.dot(x_) + constant_;
    gap += convexity_loss(r);
    add_barrier(primal, gap);
    if (gap < 0) gap = 0;  // due to rounding or slight infeasibility: the bound only gets weaker

    const NormalEquations& data = problem_.data;
    const Real cost = (xp.dot(Gx) - 2 * data.b.cast<Real>().dot(xp) + data.tau2) * per_row_;
    const Real unit = std::max(cost, Real(kFloorOfUnit) * data.tau2 / Real(data.num_rows));
    result_.primal = static_cast<double>(primal);
    result_.dual = static_cast<double>(primal - gap);
    result_.residual_cost = static_cast<double>(cost);
    result_.gap = static_cast<double>(unit > 0 ? gap / unit : gap);
  }

  // 1/2 r'Q^-1 r with Q = S'HS
  Real convexity_loss(const Vector& r) {
    if (form_.E.rows() == 0) {
      const auto times_Q = [&](const Vector& z) {
        return times_transposed(problem_.S, times_hessian(times(problem_.S, z)));
      };
      if (const auto found = solver::verified_loss(hessian<double>(), problem_.S, r, times_Q)) {
        result_.rigorous = true;
        result_.condition = found->condition;
        return found->loss;
      }
    }
    return loss_in_long_double(r);
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

  // The same by a factorization in long double; without strong convexity, the minimum of the
  // Lagrangian over a box around x.
  Real loss_in_long_double(Vector r) {
    const Eigen::SparseMatrix<Real> S = problem_.S.cast<Real>();
    Matrix Q = S.transpose() * hessian<Real>() * S;
    const Matrix rows = Matrix(form_.E.cast<Real>()) * S;
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
      const auto log_det = [](const Matrix4& M) {
        const Eigen::LLT<Matrix4> factor(M);
        return factor.info() == Eigen::Success
                   ? 2 * factor.matrixLLT().diagonal().array().log().sum()
                   : std::numeric_limits<Real>::quiet_NaN();
      };
      const Real of_body = log_det(unpack<4>(slack_.data() + begin));
      const Real of_multiplier = log_det(unpack<4>(lambda_.data() + begin));
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
  Real per_row_ = 0;
  std::vector<Matrix10> prior_curvature_;    // of every body
  std::vector<std::pair<int, Real>> ridge_;  // of every extra column
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
