#include "tensor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "linalg/symmetric_eigen.hpp"

namespace heft::check {

Eigen::Matrix3d covariance(const Eigen::Matrix3d& tensor) {
  return 0.5 * tensor.trace() * Eigen::Matrix3d::Identity() - tensor;
}

Eigen::Matrix3d tensor_from(const Eigen::Matrix3d& covariance) {
  return covariance.trace() * Eigen::Matrix3d::Identity() - covariance;
}

Eigen::Matrix3d parallel_axes(double mass, const Eigen::Vector3d& r) {
  return mass * (r.squaredNorm() * Eigen::Matrix3d::Identity() - r * r.transpose());
}

Eigen::Vector3d principal_moments(const Eigen::Matrix3d& tensor) {
  return SymmetricEigen<3>(tensor, Eigen::EigenvaluesOnly).eigenvalues();
}

double smallest_spread(const Eigen::Matrix3d& tensor) {
  return principal_moments(covariance(tensor))[0];
}

double spread_radius(const Eigen::Matrix3d& tensor, double mass) {
  const double squared = tensor.trace() / (2 * mass);
  return squared > 0 && std::isfinite(squared) ? std::sqrt(squared) : 0;
}

// 4/3 pi abc of the uniform ellipsoid whose variances are a^2/5, b^2/5, c^2/5
double density_by_tensor(const Eigen::Matrix3d& tensor, double mass) {
  constexpr double kThinnest = 1e-3;  // of the largest variance: rods and plates have a thickness
  const Eigen::Vector3d spreads = principal_moments(covariance(tensor));
  if (!(mass > 0) || !(spreads[2] > 0)) return std::numeric_limits<double>::infinity();
  const Eigen::Vector3d squares = 5 * spreads.cwiseMax(kThinnest * spreads[2]) / mass;
  return mass / (4.0 / 3 * std::numbers::pi * std::sqrt(squares.prod()));
}

bool is_round_placeholder(const Eigen::Matrix3d& tensor) {
  const double moment = tensor.diagonal().maxCoeff();
  if (!(moment > 0) || !tensor.isDiagonal(1e-12)) return false;
  if (!(std::abs(std::log10(moment) - std::round(std::log10(moment))) < 1e-12)) return false;
  return ((tensor.diagonal().array() - moment).abs() <= 1e-12 * moment ||
          tensor.diagonal().array() == 0)
      .all();
}

double rounding_noise(const Eigen::Matrix3d& tensor) {
  constexpr double kSingle = 1e-6;  // numbers that once were floats
  return kSingle * tensor.cwiseAbs().maxCoeff();
}

bool is_possible(const Eigen::Matrix3d& tensor) {
  return smallest_spread(tensor) >= -rounding_noise(tensor);
}

// each entry may be wrong by h: diagonals of Sigma by 3/2 h, the sum of two products in a row by 2
// h
double rounding_allowance(const LinkFacts& link) {
  return 3.5 * link.rounding;
}

double dissimilarity(const Eigen::Matrix3d& a, const Eigen::Matrix3d& b) {
  const Eigen::Array3d ratios = generalized_eigenvalues(a, b);
  if (!(ratios > 0).all() || !(smallest_spread(tensor_from(b)) > 0))
    return std::numeric_limits<double>::infinity();
  return std::sqrt(ratios.log().square().sum());
}

}  // namespace heft::check
