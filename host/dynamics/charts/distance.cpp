// Computes distances between bodies: affine-invariant, entropic in both directions, pullback.
// FORMULAS 4.
#include "heft/charts/distance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "heft/charts/chart.hpp"
#include "heft/core/inertia.hpp"
#include "linalg/factorizations.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "require_inside.hpp"

namespace heft {

namespace {

// an eigenvalue of a nearly singular pair loses as many digits as the condition number has: long
// double has some to spare
using Real = long double;
using Matrix4r = Eigen::Matrix<Real, 4, 4>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinite = std::numeric_limits<double>::infinity();

Matrix4r extended(const BodyParameters& parameters) {
  const Eigen::Matrix<Real, 10, 1> pi = parameters.cast<Real>();
  Eigen::Matrix<Real, 4, 4, Eigen::RowMajor> J;
  core::pseudo_inertia_from_parameters(pi.data(), J.data());
  return J;
}

/// L^-1 A L^-T with B = L L'.
Matrix4r relative(const Matrix4r& A, const Eigen::LLT<Matrix4r>& B) {
  const Matrix4r half = B.matrixL().solve(A);
  const Matrix4r whole = B.matrixL().solve(half.transpose());
  return Real(0.5) * (whole + whole.transpose());
}

/// l - 1 - log l, without losing digits near 1.
Real entropy_term(Real l) {
  const Real e = l - 1;
  if (std::abs(e) > Real(1e-3)) return e - std::log(l);
  // e - log(1 + e) = e^2/2 - e^3/3 + ..
  Real sum = 0, power = e;
  for (int k = 2; k <= 8; ++k) {
    power *= -e;
    sum -= power / k;
  }
  return sum;
}

/// tr(M V_i M V_j) of a symmetric M.
Eigen::Matrix<double, 10, 10> metric_of(const Matrix4r& M) {
  std::array<Matrix4r, 10> V;
  for (int k = 0; k < 10; ++k) V[k] = M * extended(BodyParameters::Unit(k));
  Eigen::Matrix<double, 10, 10> metric;
  for (int i = 0; i < 10; ++i)
    for (int j = 0; j <= i; ++j)
      metric(i, j) = metric(j, i) =
          static_cast<double>((V[i].cwiseProduct(V[j].transpose())).sum());
  return metric;
}

/// tr(M V_k).
BodyParameters traces_of(const Matrix4r& M) {
  BodyParameters traces;
  for (int k = 0; k < 10; ++k)
    traces[k] = static_cast<double>(M.cwiseProduct(extended(BodyParameters::Unit(k))).sum());
  return traces;
}

}  // namespace

BodyDistances distances(const BodyParameters& A, const BodyParameters& B) {
  const BodyStatus of_A = status_of(A);
  if (of_A == BodyStatus::impossible || status_of(B) != BodyStatus::ok)
    return {kNan, kNan, kNan, kNan};
  const Eigen::LLT<Matrix4r> of_B(extended(B));
  if (of_B.info() != Eigen::Success) return {kNan, kNan, kNan, kNan};
  using Eigenvalues = Eigen::Matrix<Real, 4, 1>;
  const auto eigenvalues = [](const Matrix4r& K) -> Eigenvalues {
    return SymmetricEigen<Eigen::Dynamic, Real>(K, Eigen::EigenvaluesOnly).eigenvalues();
  };
  const Eigenvalues l = eigenvalues(relative(extended(A), of_B));
  const double pullback = static_cast<double>((l.array() - 1).square().sum());
  const Eigen::LLT<Matrix4r> factor_A(extended(A));
  if (of_A == BodyStatus::boundary || factor_A.info() != Eigen::Success)
    return {kInfinite, kInfinite, kInfinite, pullback};
  // the largest eigenvalue limits the precision of small ones: take them as inverses of large ones
  // of the swapped pair
  const Eigenvalues inverse = eigenvalues(relative(extended(B), factor_A));
  Real squared = 0, forward = 0, backward = 0;
  for (int i = 0; i < 4; ++i) {
    const Real ratio = inverse[3 - i] > 1 ? 1 / inverse[3 - i] : l[i];
    squared += std::log(ratio) * std::log(ratio) / 2;
    forward += entropy_term(ratio);
    backward += entropy_term(1 / ratio);
  }
  return {static_cast<double>(std::sqrt(squared)), static_cast<double>(forward),
          static_cast<double>(backward), pullback};
}

Result<Divergence> entropic_divergence(const BodyParameters& A, const BodyParameters& B) {
  HEFT_CHECK(require_inside(A, "body"));
  HEFT_CHECK(require_inside(B, "reference"));
  const Matrix4r inverse = extended(A).inverse();
  Divergence result;
  result.value = distances(A, B).entropic_ab;
  result.gradient = traces_of(extended(B).inverse() - inverse);
  result.hessian = metric_of(inverse);
  return result;
}

Result<Divergence> pullback_divergence(const BodyParameters& A, const BodyParameters& B) {
  HEFT_CHECK(require_inside(B, "reference"));
  const Matrix4r J0 = extended(B), inverse = J0.inverse();
  const Matrix4r difference = extended(A) - J0;
  Divergence result;
  result.value = static_cast<double>(relative(difference, Eigen::LLT<Matrix4r>(J0)).squaredNorm());
  result.gradient = 2 * traces_of(inverse * difference * inverse);
  result.hessian = 2 * metric_of(inverse);
  return result;
}

}  // namespace heft
