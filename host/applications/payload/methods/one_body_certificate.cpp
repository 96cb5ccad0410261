// Certifies in long double from physical numbers, independent of the solver in one_body.cpp.
// Follows the steps of host/estimation/solve/certify.cpp for one block.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "linalg/factorizations.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "one_body.hpp"

namespace heft::payload {

namespace {

using Real = long double;
using Matrix4 = Eigen::Matrix<Real, 4, 4>;
// of ten, without allocation; sizes that the compiler does not know, since it would write out every
// product
using RealMatrix10 = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, 0, 10, 10>;
using RealVector10 = Eigen::Matrix<Real, Eigen::Dynamic, 1, 0, 10, 1>;

constexpr int kNum = core::kNumParameters;
constexpr Real kLeastCost = 1e-10L;  // of tau2 / N: least residual cost that a gap is relative to
constexpr Real kDefinite = 1e-17L;   // least squared pivot of a Hessian that counts as definite,
                                     // relative

/// J of one parameter: dJ / dx_k.
Matrix4 unit_of(int k) {
  Real x[kNum] = {}, J[16];
  x[k] = 1;
  core::pseudo_inertia_from_parameters(x, J);
  return Eigen::Map<Eigen::Matrix<Real, 4, 4, Eigen::RowMajor>>(J);
}

struct Units {
  std::array<Matrix4, kNum> of;
  Units() {
    for (int k = 0; k < kNum; ++k) of[static_cast<std::size_t>(k)] = unit_of(k);
  }
};

const std::array<Matrix4, kNum>& units() {
  static const Units all;
  return all.of;
}

Matrix4 pseudo_inertia_of(const RealVector10& x) {
  Real J[16];
  core::pseudo_inertia_from_parameters(x.data(), J);
  return Eigen::Map<Eigen::Matrix<Real, 4, 4, Eigen::RowMajor>>(J);
}

bool is_positive_definite(const Matrix4& M) {
  return M.allFinite() && Eigen::LLT<Matrix4>(M).info() == Eigen::Success;
}

Real least_eigenvalue(const Matrix4& M) {
  if (!M.allFinite()) return std::numeric_limits<Real>::quiet_NaN();
  return SymmetricEigen<Eigen::Dynamic, Real>(M, Eigen::EigenvaluesOnly).eigenvalues()[0];
}

/// f = 1/2 x'Hx + q'x + constant
struct Objective {
  RealMatrix10 H;
  RealVector10 q;
  Real constant;
};

Objective objective_of(const OneBodyProblem& problem, const Matrix4& inverse) {
  const Real per_row = 1 / Real(problem.sums.num_rows), w = problem.weight;
  Objective f{2 * per_row * problem.sums.G.cast<Real>(), -2 * per_row * problem.sums.b.cast<Real>(),
              per_row * problem.sums.tau2 + 4 * w};
  std::array<Matrix4, kNum> slope;  // J0^-1 dJ/dx_k
  for (std::size_t k = 0; k < kNum; ++k) slope[k].noalias() = inverse * units()[k];
  for (int k = 0; k < kNum; ++k) {
    const Matrix4& a = slope[static_cast<std::size_t>(k)];
    f.q[k] -= 2 * w * a.trace();
    for (int l = k; l < kNum; ++l) {
      const Real entry =
          2 * w * a.cwiseProduct(slope[static_cast<std::size_t>(l)].transpose()).sum();
      f.H(k, l) += entry;
      if (l > k) f.H(l, k) += entry;
    }
  }
  return f;
}

/// Largest t with J >= t J0 that a Cholesky factorization verifies: starts from an eigenvalue
/// estimate and steps down until the factorization succeeds.
Real proven_margin(const Matrix4& J, const Matrix4& J0, const Matrix4& lower_inverse) {
  const Matrix4 relative = lower_inverse * J * lower_inverse.transpose();
  const Real margin = least_eigenvalue(relative);
  Real slack = 1e-17L * std::max(Real(1), relative.cwiseAbs().maxCoeff());
  for (int tries = 0; tries < 20 && !is_positive_definite(J - (margin - slack) * J0); ++tries)
    slack *= 4;
  return margin - slack;
}

void judge(const CertifyOptions& options, Certificate& result) {
  char text[256];
  if (!(result.constraint_violation <= options.violation_tolerance) ||
      !result.bodies_positive_definite) {
    std::snprintf(
        text, sizeof text,
        "not feasible: constraints violated by %.1e of the prior, smallest body margin %.1e",
        result.constraint_violation, result.psd_margin[0]);
  } else if (!(result.gap <= options.gap_tolerance) || !result.rigorous) {
    std::snprintf(text, sizeof text,
                  "feasible, but only verified to be within %.1e of the residual cost of the "
                  "optimum (requested: %.1e)",
                  result.gap, options.gap_tolerance);
  } else {
    result.certified = true;
    std::snprintf(
        text, sizeof text,
        "optimal: within %.1e of the residual cost of the best possible; smallest body margin "
        "%.1e of the prior",
        result.gap, result.psd_margin[0]);
  }
  result.verdict = text;
}

}  // namespace

Certificate certify_one_body(const OneBodyProblem& problem, const BodyParameters& x,
                             const Eigen::Matrix4d& multiplier, const CertifyOptions& options) {
  Certificate result;
  result.gap = result.constraint_violation = std::numeric_limits<double>::infinity();
  result.verdict = "no solution to certify";
  const Matrix4 J0 = pseudo_inertia_of(problem.reference.cast<Real>());
  const Eigen::LLT<Matrix4> prior(J0);
  if (!x.allFinite() || !multiplier.allFinite() || prior.info() != Eigen::Success) return result;
  const Matrix4 lower = prior.matrixL(), lower_inverse = prior.matrixL().solve(Matrix4::Identity());

  const RealVector10 y = x.cast<Real>();
  const Matrix4 J = pseudo_inertia_of(y);
  const Real margin = proven_margin(J, J0, lower_inverse);
  result.psd_margin = {static_cast<double>(margin)};
  result.bodies_positive_definite = is_positive_definite(J);
  result.constraint_violation =
      static_cast<double>(std::max(Real(0), Real(problem.margin) - margin));

  // projected onto the semidefinite cone, where the bound holds
  Matrix4 Lambda = Real(0.5) * (multiplier + multiplier.transpose()).cast<Real>();
  if (!multiplier.isZero(0)) {
    Matrix4 scaled = lower.transpose() * Lambda * lower;
    const Real least = least_eigenvalue(scaled), largest = scaled.cwiseAbs().maxCoeff();
    result.dual_violation =
        static_cast<double>(std::max(Real(0), -least) / std::max(largest, Real(1e-30L)));
    if (least < 0) {
      scaled.diagonal().array() -= least * (1 + 1e-12L);
      Lambda = lower_inverse.transpose() * scaled * lower_inverse;
    }
  }

  const Objective f = objective_of(problem, lower_inverse.transpose() * lower_inverse);
  RealVector10 r = -(f.H * y + f.q);
  for (int k = 0; k < kNum; ++k)
    r[k] += Lambda.cwiseProduct(units()[static_cast<std::size_t>(k)]).sum();
  const RealVector10 scale = f.H.diagonal().cwiseMax(1e-300L).cwiseSqrt().cwiseInverse();
  const Eigen::LLT<RealMatrix10> factor(
      RealMatrix10(scale.asDiagonal() * f.H * scale.asDiagonal()));
  const RealVector10 pivots = factor.matrixLLT().diagonal().cwiseAbs2();
  result.rigorous = factor.info() == Eigen::Success && pivots.minCoeff() > kDefinite;
  if (!result.rigorous) {
    judge(options, result);
    return result;
  }
  result.condition = static_cast<double>(pivots.maxCoeff() / pivots.minCoeff());
  const RealVector10 scaled_r = scale.cwiseProduct(r);
  result.stationarity =
      static_cast<double>(scaled_r.norm() / (scale.cwiseProduct(f.q).norm() + 1e-30L));
  const RealVector10 half = factor.matrixL().solve(scaled_r);
  const Real gap =
      Lambda.cwiseProduct(J - Real(problem.margin) * J0).sum() + Real(0.5) * half.squaredNorm();
  const Real primal = Real(0.5) * y.dot(f.H * y) + f.q.dot(y) + f.constant;
  const WeightedSums& sums = problem.sums;
  const Real cost = (y.dot(sums.G.cast<Real>() * y) - 2 * sums.b.cast<Real>().dot(y) + sums.tau2) /
                    Real(sums.num_rows);
  const Real unit = std::max(cost, kLeastCost * sums.tau2 / Real(sums.num_rows));
  result.primal = static_cast<double>(primal);
  result.dual = static_cast<double>(primal - gap);
  result.residual_cost = static_cast<double>(cost);
  result.gap = static_cast<double>(unit > 0 ? gap / unit : gap);
  judge(options, result);
  return result;
}

}  // namespace heft::payload
