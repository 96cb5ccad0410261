// Drawing of a robot: its bodies in their own frames, with the ellipsoids of their mass, center of
// mass and inertia, and the poses of the bodies at some postures.
//
// The ellipsoid of uniform density with covariance C about the center of mass has the semi-axes
// sqrt(5 mu_i), mu_i the eigenvalues of C (FORMULAS 4). Its shape matrix is 5 C.
#pragma once

#include <Eigen/Geometry>
#include <nlohmann/json.hpp>
#include <vector>

#include "heft/traces/traces.hpp"
#include "model/poses.hpp"

namespace heft {

/// Returns the bodies in their own axes:
///   {"name", "parent", "axis", "rotor", "identified": {"mass", "centre", "shape"}, "prior": ..}
/// with parent an index or -1, axis null for immovable bodies, and shape the rows of the upper
/// triangle [m^2]. `identified` and `prior` have one entry per body of the robot; massless and
/// inconsistent bodies have no ellipsoid.
nlohmann::ordered_json bodies_json(const Robot& robot,
                                   const std::vector<BodyParameters>& identified,
                                   const std::vector<BodyParameters>& prior);

/// Returns how much the ellipsoids of `bodies` occlude each other at these poses, from the initial
/// viewpoint of the page: the sum over pairs of exp(-d' (S_i + S_j)^-1 d / 2), d the distance of
/// their centers and S their shapes in the image. Ignores rotors.
double overlap_in_view(const Robot& robot, const std::vector<BodyParameters>& bodies,
                       const std::vector<Eigen::Isometry3d>& poses);

/// Returns {"bodies", "postures": [{"time_s", "poses": [[x, y, z, qx, qy, qz, qw], ..]}, ..],
/// "posture": index}: postures of the log or, without any, all coordinates at zero and a null time;
/// the index selects the posture with the least occlusion. With feet, a posture also has "feet":
/// [[x, y, z, fx, fy, fz], ..], points and forces [N] in base axes, null for an unknown force; and
/// "feet" are their names.
nlohmann::ordered_json skeleton_json(const Robot& robot,
                                     const std::vector<BodyParameters>& identified,
                                     const std::vector<BodyParameters>& prior,
                                     const std::vector<Posture>& postures,
                                     const std::vector<FootTraces>& feet = {});

}  // namespace heft
