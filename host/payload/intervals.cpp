#include "intervals.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

namespace heft::payload {

namespace {

constexpr double kQuantile = 1.959963984540054;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kAlike = 0.05;   // an autocorrelation below this is none
constexpr double kFar = 5;        // standard errors between the data's answer and the prior's that are no chance
constexpr double kRankCut = 1e-7; // as LeastSquaresOptions

/// 1 + 2 sum of the autocorrelation of a channel of one stretch.
double correlation_length(const Eigen::Ref<const Eigen::ArrayXd>& residual) {
  const Eigen::Index n = residual.size();
  const double power = residual.square().sum();
  if (n < 4 || !(power > 0)) return 1;
  double length = 1;
  for (Eigen::Index lag = 1; lag < n / 4; ++lag) {
    const double share = (residual.head(n - lag) * residual.tail(n - lag)).sum() / power;
    if (share < kAlike) break;
    length += 2 * share;
  }
  return length;
}

double mean_correlation_length(const AutomaticFit& fit, BiasKind bias) {
  if (!fit.samples.moves) return 1;
  const Eigen::ArrayXXd residuals = residuals_of(fit.samples, bias, fit.data.x);
  double sum = 0, weight = 0;
  for (const WrenchSamples::Stretch& stretch : fit.samples.stretches)
    for (int c = 0; c < 6; ++c) {
      sum += static_cast<double>(stretch.size) *
             correlation_length(residuals.col(c).segment(stretch.begin, stretch.size));
      weight += static_cast<double>(stretch.size);
    }
  return sum / weight;
}

/// Inverse of the information over what the rows see; infinity on the diagonal where they leave a direction open.
Matrix10d covariance_of(const NormalEquations& equations) {
  const Eigen::VectorXd scale = equations.G.diagonal().unaryExpr([](double g) { return g > 0 ? 1 / std::sqrt(g) : 0.0; });
  const Matrix10d scaled = scale.asDiagonal() * equations.G * scale.asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Matrix10d> eigen(scaled);
  Matrix10d inverse = Matrix10d::Zero();
  BodyParameters open = BodyParameters::Zero();
  for (int k = 0; k < 10; ++k) {
    const double value = eigen.eigenvalues()[k];
    const BodyParameters v = eigen.eigenvectors().col(k);
    if (value > kRankCut * kRankCut * 100 * eigen.eigenvalues()[9])
      inverse += v * v.transpose() / value;
    else
      open += v.cwiseAbs2();
  }
  Matrix10d covariance = scale.asDiagonal() * inverse * scale.asDiagonal();
  for (int k = 0; k < 10; ++k)
    if (open[k] > 1e-6 || scale[k] == 0) covariance(k, k) = kInfinity;
  return covariance;
}

Interval hull(double data, double standard_error, double answer) {
  const double half = kQuantile * standard_error;
  return {std::min(data - half, answer), std::max(data + half, answer)};
}

}  // namespace

Intervals intervals_of(const AutomaticFit& fit, BiasKind bias) {
  const Vector6d weights = fit.data.rms.cwiseAbs2().cwiseInverse();
  const double alike = mean_correlation_length(fit, bias);
  const double independent = fit.sums.num_rows() / alike;
  const double unknowns = 10 + 6 * fit.sums.num_groups - static_cast<double>(fit.data.unseen.cols());
  const double spread = independent > unknowns ? alike * independent / (independent - unknowns) : kInfinity;
  const Matrix10d C = covariance_of(normal_equations(fit.sums, weights));
  const auto error_of = [&](double variance) {
    return std::isfinite(variance) && std::isfinite(spread) ? std::sqrt(spread * std::max(variance, 0.0)) : kInfinity;
  };
  Intervals intervals;
  const BodyParameters &data = fit.data.x, &answer = fit.answer.x;
  const double mass_error = error_of(C(0, 0));
  intervals.mass = hull(data[0], mass_error, answer[0]);
  // a mass cannot be negative; one that may be nothing leaves the centre of mass open
  intervals.mass.low = std::max(intervals.mass.low, 0.0);
  intervals.prior_disagrees = std::abs(data[0] - answer[0]) > kFar * mass_error;
  for (int axis = 0; axis < 3; ++axis) {
    const int h = 1 + axis;
    const double c = data[h] / data[0], variance = C(h, h) - 2 * c * C(h, 0) + c * c * C(0, 0);
    const bool is_open = !std::isfinite(C(0, 0)) || !std::isfinite(C(h, h)) || !(intervals.mass.low > 0);
    const double error = is_open ? kInfinity : error_of(variance) / data[0];
    intervals.com[axis] = hull(c, error, answer[h] / answer[0]);
    intervals.prior_disagrees |= std::abs(c - answer[h] / answer[0]) > kFar * error;
  }
  return intervals;
}

}  // namespace heft::payload
