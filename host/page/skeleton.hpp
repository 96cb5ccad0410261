// The robot as a drawing: where its bodies are at the zero posture, and the ellipsoids that have their mass,
// centre of mass and inertia.
//
// The ellipsoid of uniform density with covariance C about the centre of mass has the semi-axes
// sqrt(5 mu_i), mu_i the eigenvalues of C (FORMULAS 4). Its shape matrix is 5 C.
#pragma once

#include <Eigen/Core>
#include <nlohmann/json.hpp>

#include "heft/model/robot.hpp"

namespace heft {

/// Origins and axes of the joints in base axes [m] at the zero posture, and per body the ellipsoids of
/// `identified` and of `prior` (one entry per body of the robot; a body without mass has none, and neither
/// has one that is impossible):
///   {"name", "parent", "origin", "axis", "rotor", "identified": {"mass", "centre", "shape"}, "prior": ..}
/// with parent an index or -1 and shape the rows of the upper triangle [m^2].
nlohmann::ordered_json skeleton_json(const Robot& robot, const std::vector<BodyParameters>& identified,
                                     const std::vector<BodyParameters>& prior);

}  // namespace heft
