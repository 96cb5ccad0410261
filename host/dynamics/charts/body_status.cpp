#include "heft/charts/chart.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/symmetric_eigen.hpp"
#include "moment_blur.hpp"
#include "require_inside.hpp"

namespace heft {

namespace {

constexpr double kLeastShare = 1e-10;    ///< of the largest second moment
constexpr double kLeastRadius2 = 1e-12;  ///< (1 um)^2 [m^2]

/// Second moments about the center of mass.
struct Spread {
  double blur;  ///< how far they are known
  SymmetricEigen<3> about_center;
};

Spread spread_of(const BodyParameters& pi) {
  const Eigen::Matrix4d J = pseudo_inertia(pi);
  const Eigen::Vector3d h = J.topRightCorner<3, 1>();
  Eigen::Matrix3d sigma = J.topLeftCorner<3, 3>();
  if (pi[core::kMass] > 0)
    sigma -= h * (h / pi[core::kMass]).transpose();  // h h' alone overflows first
  return {moment_blur(pi), SymmetricEigen<3>(sigma)};
}

}  // namespace

BodyStatus status_of(const BodyParameters& pi) {
  if (!pi.allFinite() || pi[core::kMass] < 0) return BodyStatus::impossible;
  const bool has_mass = pi[core::kMass] > 0;
  if (!has_mass && !pi.segment<3>(core::kMcx).isZero(0)) return BodyStatus::impossible;
  const Spread spread = spread_of(pi);
  const double least = spread.about_center.eigenvalues()[0];
  const double blur = spread.blur;
  if (!(least >= -blur)) return BodyStatus::impossible;
  return has_mass && least > blur ? BodyStatus::ok : BodyStatus::boundary;
}

Result<Done> require_inside(const BodyParameters& body, const char* what) {
  if (status_of(body) == BodyStatus::ok) return Done{};
  return Error{what,
               "is not strictly physically consistent: its pseudo-inertia is not positive definite",
               "give a body whose mass extends in all three directions"};
}

std::optional<BodyParameters> inside(const BodyParameters& pi) {
  const BodyStatus status = status_of(pi);
  if (status == BodyStatus::ok) return pi;
  if (status == BodyStatus::impossible || !(pi[core::kMass] > 0)) return {};
  const Spread spread = spread_of(pi);
  const Eigen::Vector3d L = spread.about_center.eigenvalues();
  const double floor = std::max(kLeastShare * L[2], pi[core::kMass] * kLeastRadius2);
  // a body rounded about a distant origin must stay inside after the round trip
  const double seen = std::max(floor, 16 * spread.blur);
  const Eigen::Matrix3d Q = spread.about_center.eigenvectors();
  Eigen::Matrix4d J = pseudo_inertia(pi);
  J.topLeftCorner<3, 3>() += Q * (L.cwiseMax(seen) - L).asDiagonal() * Q.transpose();
  return body_parameters(J);
}

}  // namespace heft
