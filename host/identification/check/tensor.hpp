// Tensors about the center of mass and the covariances behind them (core/inertia.hpp):
//
//   Sigma = 1/2 tr(I) 1 - I       I = tr(Sigma) 1 - Sigma
//
// A tensor is physically consistent if and only if Sigma >= 0; this is the triangle inequality in
// the principal axes, and with m > 0 equivalent to a pseudo-inertia without negative eigenvalues.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>

#include "robot_facts.hpp"

namespace heft::check {

Eigen::Matrix3d covariance(const Eigen::Matrix3d& tensor);
Eigen::Matrix3d tensor_from(const Eigen::Matrix3d& covariance);

/// Returns the parallel-axis term at distance r: m (r'r 1 - r r').
Eigen::Matrix3d parallel_axes(double mass, const Eigen::Vector3d& r);

/// Returns the principal moments, ascending.
Eigen::Vector3d principal_moments(const Eigen::Matrix3d& tensor);

/// Returns the smallest eigenvalue of Sigma: negative for an inconsistent tensor.
double smallest_spread(const Eigen::Matrix3d& tensor);

/// Returns sqrt(tr Sigma / m), the root mean square distance of the mass from its center; 0 if
/// undefined.
double spread_radius(const Eigen::Matrix3d& tensor, double mass);

/// Returns the density of the uniform ellipsoid with this mass and tensor [kg/m^3], which needs no
/// geometry. Infinite for a point.
double density_by_tensor(const Eigen::Matrix3d& tensor, double mass);

/// Returns whether the tensor is a unitless placeholder: diagonal, one power of ten, some entries
/// zero.
bool is_round_placeholder(const Eigen::Matrix3d& tensor);

/// Returns the threshold below which an eigenvalue of Sigma is rounding noise, regardless of the
/// number of decimals.
double rounding_noise(const Eigen::Matrix3d& tensor);

/// Returns whether the tensor is physically consistent, up to rounding.
bool is_possible(const Eigen::Matrix3d& tensor);

/// Returns the uncertainty from the decimals of the file: half a unit in the last place of six
/// numbers.
double rounding_allowance(const LinkFacts& link);

/// Returns the distance of two covariances, sqrt(sum log^2 of their generalized eigenvalues); 0 if
/// equal, log 2 if one axis has twice the variance, infinite if either is not positive definite.
double dissimilarity(const Eigen::Matrix3d& a, const Eigen::Matrix3d& b);

/// Possible intended meaning of an implausible tensor.
struct Reading {
  Eigen::Matrix3d tensor;  ///< in the inertial's axes, about the center of mass, [kg m^2]
  std::string meaning;     ///< "with the other sign of the products of inertia"
};

// interpretations that make an impossible tensor possible; each empty if it does not
std::optional<Reading> products_negated(const LinkFacts& link);
std::optional<Reading> entries_reordered(const LinkFacts& link);
std::optional<Reading> parallel_axes_restored(const LinkFacts& link);

// interpretations of a tensor too large or small for the robot, or of a mass; each empty without a
// unit error
std::optional<Reading> tensor_unit_slip(const RobotFacts& robot, const LinkFacts& link);
/// Returns the tensor in kg m^2 of a link whose mass is in grams: as written, or divided by 1000 if
/// it is in grams as well.
std::optional<Reading> mass_in_grams(const RobotFacts& robot, const LinkFacts& link);
bool com_in_millimeters(const RobotFacts& robot, const LinkFacts& link);

// interpretations of a possible tensor that fit better
std::optional<Reading> about_link_origin(const LinkFacts& link);
std::optional<Reading> in_other_axes(const RobotFacts& robot, const LinkFacts& link);

}  // namespace heft::check
