#include "heft/charts/distance.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "heft/charts/body_status.hpp"
#include "heft/core/exponential_chart.hpp"
#include "linalg/symmetric_eigen.hpp"

namespace heft {

namespace {

// an eigenvalue of a nearly singular pair loses as many digits as the condition number has: long double has some to spare
using Real = long double;
using Matrix4r = Eigen::Matrix<Real, 4, 4>;
using RowMatrix4 = Eigen::Matrix<double, 4, 4, Eigen::RowMajor>;

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

Result<Done> require_inside(const BodyParameters& body, const char* what) {
  if (status_of(body) == BodyStatus::ok) return Done{};
  return Error{what, "is not inside the possible bodies: its pseudo-inertia is not positive definite",
               "take a body with mass that is spread in all three directions"};
}

RowMatrix4 cholesky_factor(const BodyParameters& body) {
  const RowMatrix4 J = pseudo_inertia(body);
  RowMatrix4 L;
  core::lower_cholesky4(J.data(), L.data());
  return L;
}

/// Entry k of the exponential chart, in coordinates orthonormal in the metric.
double scale_of(int k) {
  return k < 4 ? std::sqrt(0.5) : 1.0;
}

/// tr(M V_i M V_j) of a symmetric M.
Eigen::Matrix<double, 10, 10> metric_of(const Matrix4r& M) {
  std::array<Matrix4r, 10> V;
  for (int k = 0; k < 10; ++k) V[k] = M * extended(BodyParameters::Unit(k));
  Eigen::Matrix<double, 10, 10> metric;
  for (int i = 0; i < 10; ++i)
    for (int j = 0; j <= i; ++j)
      metric(i, j) = metric(j, i) = static_cast<double>((V[i].cwiseProduct(V[j].transpose())).sum());
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
  if (of_A == BodyStatus::impossible || status_of(B) != BodyStatus::ok) return {kNan, kNan, kNan, kNan};
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
  // small ones are blurred by the largest: they are the inverses of large ones the other way around
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

Result<Eigen::Matrix<double, 10, 1>> tangent_from(const BodyParameters& A, const BodyParameters& B) {
  HEFT_CHECK(require_inside(A, "first body"));
  HEFT_CHECK(require_inside(B, "second body"));
  Eigen::Matrix<double, 10, 1> tangent;
  core::exponential_from_parameters(cholesky_factor(A).data(), B.data(), tangent.data());
  for (int k = 0; k < 10; ++k) tangent[k] *= scale_of(k);
  if (!tangent.allFinite())
    return Error{"second body", "is too near to the boundary of the possible bodies, seen from the first",
                 "take a body with mass that is spread in all three directions"};
  return tangent;
}

namespace {

/// The body that a tangent at A leads to.
BodyParameters along(const BodyParameters& A, Eigen::Matrix<double, 10, 1> tangent) {
  for (int k = 0; k < 10; ++k) tangent[k] /= scale_of(k);
  BodyParameters body;
  core::parameters_from_exponential(cholesky_factor(A).data(), tangent.data(), body.data());
  return body;
}

}  // namespace

Result<BodyParameters> geodesic(const BodyParameters& A, const BodyParameters& B, double t) {
  HEFT_TRY(tangent, tangent_from(A, B));
  const BodyParameters body = along(A, t * tangent);
  if (!body.allFinite())
    return Error{"t", "leads beyond all numbers", "take a t between 0 and 1, or near to it"};
  return body;
}

namespace {

Result<std::vector<double>> shares_of(std::size_t count, const std::vector<double>& weights) {
  if (count == 0) return Error{"bodies", "there are none", "give at least one"};
  if (!weights.empty() && weights.size() != count)
    return Error{"weights", "are as many as bodies, or none", "give one a body"};
  std::vector<double> shares = weights.empty() ? std::vector<double>(count, 1.0) : weights;
  double sum = 0;
  for (const double w : shares) {
    if (!(w >= 0) || !std::isfinite(w))
      return Error{"weights", "are not all finite and at least zero", "mend them"};
    sum += w;
  }
  if (!(sum > 0) || !std::isfinite(sum))
    return Error{"weights", "add up to nothing", "give one that is above zero"};
  for (double& w : shares) w /= sum;
  return shares;
}

/// Tangents from a body to all, a column each, and their weighted sum.
struct Tangents {
  Eigen::Matrix<double, 10, Eigen::Dynamic> to;
  Eigen::Matrix<double, 10, 1> sum = Eigen::Matrix<double, 10, 1>::Zero();
};

Result<Tangents> tangents_from(const BodyParameters& body, const std::vector<BodyParameters>& bodies,
                               const std::vector<double>& shares) {
  Tangents tangents;
  tangents.to.resize(10, static_cast<Eigen::Index>(bodies.size()));
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    HEFT_TRY(tangent, tangent_from(body, bodies[i]));
    tangents.to.col(static_cast<Eigen::Index>(i)) = tangent;
    tangents.sum += shares[i] * tangent;
  }
  return tangents;
}

}  // namespace

Result<BodyMean> karcher_mean(const std::vector<BodyParameters>& bodies, const std::vector<double>& weights,
                              const MeanOptions& options) {
  HEFT_TRY(shares, shares_of(bodies.size(), weights));
  // the weighted sum of J is inside, and not far
  BodyParameters start = BodyParameters::Zero();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    HEFT_CHECK(require_inside(bodies[i], "bodies"));
    start += shares[i] * bodies[i];
  }
  BodyMean mean;
  mean.body = start;
  HEFT_TRY(first, tangents_from(start, bodies, shares));
  Tangents tangents = first;
  double step = 1;
  const auto squares = [&] {
    double sum = 0;
    for (std::size_t i = 0; i < bodies.size(); ++i)
      sum += shares[i] * tangents.to.col(static_cast<Eigen::Index>(i)).squaredNorm();
    return sum;
  };
  while (true) {
    mean.residual = tangents.sum.norm();
    mean.converged = mean.residual <= options.tolerance * std::max(1.0, std::sqrt(squares()));
    if (mean.converged || mean.iterations >= options.max_iterations || step < 1e-6) break;
    ++mean.iterations;
    const BodyParameters next = along(mean.body, step * tangents.sum);
    auto from_next = tangents_from(next, bodies, shares);
    if (!from_next || !(from_next->sum.norm() < mean.residual)) {
      step /= 2;
      continue;
    }
    mean.body = next;
    tangents = std::move(*from_next);
    step = std::min(1.0, 2 * step);
  }
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const auto tangent = tangents.to.col(static_cast<Eigen::Index>(i));
    mean.covariance += shares[i] * tangent * tangent.transpose();
  }
  mean.rms_distance = std::sqrt(squares());
  return mean;
}

}  // namespace heft
