#include "heft/charts/chart.hpp"

#include "base/widest.hpp"
#include "heft/core/exponential_chart.hpp"
#include "heft/core/log_cholesky.hpp"
#include "heft/core/manifold_chart.hpp"
#include "kernels.hpp"
#include "require_inside.hpp"

namespace heft {

namespace charts {

const Kernels& widest_kernels() {
  return widest(kAvx512Kernels, kAvx2Kernels, kBaselineKernels);
}

}  // namespace charts

Result<BodyChart> BodyChart::make(ChartKind kind, const std::optional<BodyParameters>& prior) {
  Eigen::Matrix<double, 4, 4, Eigen::RowMajor> factor = Eigen::Matrix4d::Identity();
  if (kind != ChartKind::exponential_at_prior) return BodyChart(kind, factor);
  if (!prior) return Error{"prior", "the chart exponential_at_prior needs a prior", "give one"};
  HEFT_CHECK(require_inside(*prior, "prior"));
  const Eigen::Matrix<double, 4, 4, Eigen::RowMajor> J0 = pseudo_inertia(*prior);
  core::lower_cholesky4(J0.data(), factor.data());
  if (!factor.allFinite())
    return Error{"prior", "pseudo-inertia is nearly singular",
                 "use a body with mass distributed in all three directions"};
  return BodyChart(kind, factor);
}

BodyParameters BodyChart::parameters(const Eigen::VectorXd& point) const {
  BodyParameters pi;
  switch (kind_) {
    case ChartKind::log_cholesky:
      core::parameters_from_log_cholesky(point.data(), pi.data());
      break;
    case ChartKind::exponential:
    case ChartKind::exponential_at_prior:
      core::parameters_from_exponential(factor_.data(), point.data(), pi.data());
      break;
    case ChartKind::manifold:
      core::parameters_from_manifold(point.data(), pi.data());
      break;
  }
  return pi;
}

ChartPoint BodyChart::point(const BodyParameters& parameters) const {
  ChartPoint result{{}, status_of(parameters)};
  if (result.status == BodyStatus::impossible) return result;
  if (kind_ == ChartKind::manifold) {
    result.numbers.resize(11);
    BodyParameters pi = parameters;
    const bool has_mass = pi[core::kMass] > 0;
    if (!has_mass) pi[core::kMass] = 1;  // any will do: there are no first moments
    core::manifold_from_parameters(pi.data(), result.numbers.data());
    if (!has_mass) result.numbers[0] = 0;
    result.numbers.tail<3>() = result.numbers.tail<3>().cwiseMax(0.0).eval();
    return result;
  }
  const std::optional<BodyParameters> near = inside(parameters);
  if (!near) return result;
  result.numbers.resize(10);
  if (kind_ == ChartKind::log_cholesky)
    core::log_cholesky_from_parameters(near->data(), result.numbers.data());
  else
    core::exponential_from_parameters(factor_.data(), near->data(), result.numbers.data());
  if (!result.numbers.allFinite()) {  // positive definite, but not to the precision of this chart
    result.numbers.resize(0);
    result.status = BodyStatus::boundary;
  }
  return result;
}

ChartJacobian BodyChart::jacobian(const Eigen::VectorXd& point) const {
  Eigen::Matrix<double, 10, 10, Eigen::RowMajor> J;
  switch (kind_) {
    case ChartKind::log_cholesky:
      core::log_cholesky_jacobian(point.data(), J.data());
      break;
    case ChartKind::exponential:
    case ChartKind::exponential_at_prior:
      core::exponential_jacobian(factor_.data(), point.data(), J.data());
      break;
    case ChartKind::manifold:
      core::manifold_jacobian(point.data(), J.data());
      break;
  }
  return J;
}

Eigen::Matrix<double, 10, 1> BodyChart::gradient(const Eigen::VectorXd& point,
                                                 const BodyParameters& g) const {
  Eigen::Matrix<double, 10, 1> result;
  switch (kind_) {
    case ChartKind::log_cholesky:
      core::log_cholesky_gradient(point.data(), g.data(), result.data());
      break;
    case ChartKind::exponential:
    case ChartKind::exponential_at_prior:
      core::exponential_gradient(factor_.data(), point.data(), g.data(), result.data());
      break;
    case ChartKind::manifold:
      core::manifold_gradient(point.data(), g.data(), result.data());
      break;
  }
  return result;
}

Eigen::VectorXd BodyChart::moved(const Eigen::VectorXd& point,
                                 const Eigen::Matrix<double, 10, 1>& step) const {
  if (kind_ != ChartKind::manifold) return point + step;
  Eigen::VectorXd next = point;
  next.head<4>() += step.head<4>();
  core::turn_quaternion(step.data() + 4, next.data() + 4);
  next.tail<3>() += step.tail<3>();
  return next;
}

void BodyChart::parameters(const Eigen::ArrayXXd& points, Eigen::ArrayXXd& parameters) const {
  parameters.resize(points.rows(), core::kNumParameters);
  charts::widest_kernels().map(kind_, factor_.data(), points.rows(), points.data(),
                               parameters.data());
}

void BodyChart::points(const Eigen::ArrayXXd& parameters, Eigen::ArrayXXd& points) const {
  points.resize(parameters.rows(), num_numbers());
  charts::widest_kernels().inverse(kind_, factor_.data(), parameters.rows(), parameters.data(),
                                   points.data());
}

void BodyChart::gradients(const Eigen::ArrayXXd& points, const Eigen::ArrayXXd& g,
                          Eigen::ArrayXXd& gradients) const {
  gradients.resize(points.rows(), 10);
  charts::widest_kernels().gradient(kind_, factor_.data(), points.rows(), points.data(), g.data(),
                                    gradients.data());
}

void BodyChart::jacobians(const Eigen::ArrayXXd& points, Eigen::MatrixXd& jacobians) const {
  jacobians.resize(100, points.rows());
  charts::widest_kernels().jacobian(kind_, factor_.data(), points.rows(), points.data(),
                                    jacobians.data());
}

}  // namespace heft
