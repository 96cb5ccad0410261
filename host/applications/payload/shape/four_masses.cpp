// Computes four point masses with the moments of a body, inside the shape's ellipsoid if it is
// known and possible (FORMULAS 4).

#include "charts/ellipsoid.hpp"
#include "heft/payload/payload.hpp"
#include "heft/solve/problem.hpp"
#include "linalg/factorizations.hpp"

namespace heft {

Result<FourMasses> four_masses(const BodyParameters& payload,
                               const std::optional<Ellipsoid>& bounds) {
  const Eigen::Matrix4d J = pseudo_inertia(payload);
  const Eigen::LLT<Eigen::Matrix4d> factor(J);
  if (!payload.allFinite() || factor.info() != Eigen::Success)
    return Error{"payload", "no four masses have these moments",
                 "use a method whose results are physically consistent"};
  // without bounds: twice the uniform solid ellipsoid with the body's moments
  const double mass = payload[core::kMass];
  const Eigen::Vector3d c = payload.segment<3>(core::kMcx) / mass;
  const Eigen::Matrix3d shape = 4 * (J.topLeftCorner<3, 3>() / mass - c * c.transpose());
  const Eigen::Matrix3d inverse = shape.inverse();
  Eigen::Matrix4d own;
  own << -inverse, inverse * c, (inverse * c).transpose(), 1 - c.dot(inverse * c);
  FourMasses found;
  Eigen::Matrix4d Q = own;
  if (bounds) {
    const Eigen::Matrix4d given = ellipsoid_matrix(bounds->center, bounds->semi_axes, bounds->R);
    found.inside = (J * given).trace() > 0;
    if (found.inside) Q = given;
  }
  HEFT_TRY(masses, masses_within(payload, Q));
  found.at.setZero();
  for (std::size_t k = 0; k < masses.size(); ++k) {
    found.mass[static_cast<Eigen::Index>(k)] = masses[k].mass;
    found.at.col(static_cast<Eigen::Index>(k)) = masses[k].place;
  }
  return found;
}

}  // namespace heft
