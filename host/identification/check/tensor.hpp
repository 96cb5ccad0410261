// Tensors about the center of mass and the covariances behind them (core/inertia.hpp):
//
//   Sigma = 1/2 tr(I) 1 - I       I = tr(Sigma) 1 - Sigma
//
// A tensor is that of a body if and only if Sigma >= 0; the triangle inequality is the same in the
// principal axes, and with m > 0 so is a pseudo-inertia without negative eigenvalue.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>

#include "robot_facts.hpp"

namespace heft::check {

Eigen::Matrix3d covariance(const Eigen::Matrix3d& tensor);
Eigen::Matrix3d tensor_from(const Eigen::Matrix3d& covariance);

/// What parallel axes add at a distance r: m (r'r 1 - r r').
Eigen::Matrix3d parallel_axes(double mass, const Eigen::Vector3d& r);

/// Principal moments, ascending.
Eigen::Vector3d principal_moments(const Eigen::Matrix3d& tensor);

/// The smallest eigenvalue of Sigma: negative for a tensor of no body.
double smallest_spread(const Eigen::Matrix3d& tensor);

/// sqrt(tr Sigma / m): root mean square distance of the mass from its center; 0 if it has no
/// meaning.
double spread_radius(const Eigen::Matrix3d& tensor, double mass);

/// Density of the uniform ellipsoid with this mass and tensor [kg/m^3]: what both say together,
/// without any geometry. Infinite for a point.
double density_by_tensor(const Eigen::Matrix3d& tensor, double mass);

/// True for a diagonal of one power of ten, some entries zero: a placeholder, which has no unit.
bool is_round_placeholder(const Eigen::Matrix3d& tensor);

/// Below this an eigenvalue of Sigma is rounding noise of the computation, whatever the decimals
/// say.
double rounding_noise(const Eigen::Matrix3d& tensor);

/// True if a body can have the tensor, rounding noise apart.
bool is_possible(const Eigen::Matrix3d& tensor);

/// What the decimals of the file can hide: half a unit in the last place of six numbers.
double rounding_allowance(const LinkFacts& link);

/// How unlike two covariances are: sqrt(sum log^2 of their generalised eigenvalues); 0 for equal
/// ones, log 2 for one axis of twice the variance, infinite if either is not positive definite.
double dissimilarity(const Eigen::Matrix3d& a, const Eigen::Matrix3d& b);

/// What somebody may have meant by a tensor that as written makes no sense.
struct Reading {
  Eigen::Matrix3d tensor;  ///< in the inertial's axes, about the center of mass, [kg m^2]
  std::string meaning;     ///< "with the other sign of the products of inertia"
};

// readings of an impossible tensor that make it possible; each empty if it does not
std::optional<Reading> products_negated(const LinkFacts& link);
std::optional<Reading> entries_reordered(const LinkFacts& link);
std::optional<Reading> parallel_axes_restored(const LinkFacts& link);

// readings of a tensor of a size that the robot cannot hold, or of a mass; each empty if nothing
// slipped
std::optional<Reading> tensor_unit_slip(const RobotFacts& robot, const LinkFacts& link);
/// The tensor in kg m^2 of a link whose mass is in grams: as written, or a thousandth where both
/// are in grams.
std::optional<Reading> mass_in_grams(const RobotFacts& robot, const LinkFacts& link);
bool com_in_millimeters(const RobotFacts& robot, const LinkFacts& link);

// readings of a possible tensor that fit better
std::optional<Reading> about_link_origin(const LinkFacts& link);
std::optional<Reading> in_other_axes(const RobotFacts& robot, const LinkFacts& link);

}  // namespace heft::check
