// Computes geodesics of the affine-invariant metric and means along them. FORMULAS 4.
#include <algorithm>
#include <cmath>

#include "heft/charts/distance.hpp"
#include "heft/core/exponential_chart.hpp"
#include "require_inside.hpp"

namespace heft {

namespace {

using RowMatrix4 = Eigen::Matrix<double, 4, 4, Eigen::RowMajor>;

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

/// The body at the end of a tangent at A.
BodyParameters along(const BodyParameters& A, Eigen::Matrix<double, 10, 1> tangent) {
  for (int k = 0; k < 10; ++k) tangent[k] /= scale_of(k);
  BodyParameters body;
  core::parameters_from_exponential(cholesky_factor(A).data(), tangent.data(), body.data());
  return body;
}

Result<std::vector<double>> shares_of(std::size_t count, const std::vector<double>& weights) {
  if (count == 0) return Error{"bodies", "the list is empty", "give at least one"};
  if (!weights.empty() && weights.size() != count)
    return Error{"weights", "must be one per body, or none", "give one per body"};
  std::vector<double> shares = weights.empty() ? std::vector<double>(count, 1.0) : weights;
  double sum = 0;
  for (const double w : shares) {
    if (!(w >= 0) || !std::isfinite(w))
      return Error{"weights", "are not all finite and non-negative",
                   "give finite weights of at least 0"};
    sum += w;
  }
  if (!(sum > 0) || !std::isfinite(sum))
    return Error{"weights", "add up to zero", "give at least one weight above zero"};
  for (double& w : shares) w /= sum;
  return shares;
}

/// Tangents from a body to all, a column each, and their weighted sum.
struct Tangents {
  Eigen::Matrix<double, 10, Eigen::Dynamic> to;
  Eigen::Matrix<double, 10, 1> sum = Eigen::Matrix<double, 10, 1>::Zero();
};

Result<Tangents> tangents_from(const BodyParameters& body,
                               const std::vector<BodyParameters>& bodies,
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

Result<Eigen::Matrix<double, 10, 1>> tangent_from(const BodyParameters& A,
                                                  const BodyParameters& B) {
  HEFT_CHECK(require_inside(A, "first body"));
  HEFT_CHECK(require_inside(B, "second body"));
  Eigen::Matrix<double, 10, 1> tangent;
  core::exponential_from_parameters(cholesky_factor(A).data(), B.data(), tangent.data());
  for (int k = 0; k < 10; ++k) tangent[k] *= scale_of(k);
  if (!tangent.allFinite())
    return Error{
        "second body",
        "is too close to the boundary of the physically consistent bodies, relative to the first",
        "give a body whose mass extends in all three directions"};
  return tangent;
}

Result<BodyParameters> geodesic(const BodyParameters& A, const BodyParameters& B, double t) {
  HEFT_TRY(tangent, tangent_from(A, B));
  const BodyParameters body = along(A, t * tangent);
  if (!body.allFinite())
    return Error{"t", "makes the result overflow", "give a t in or near the range 0 to 1"};
  return body;
}

Result<BodyMean> karcher_mean(const std::vector<BodyParameters>& bodies,
                              const std::vector<double>& weights, const MeanOptions& options) {
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
