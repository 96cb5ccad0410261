// The robot as a drawing: its bodies in their own frames, with the ellipsoids that have their mass,
// center of mass and inertia, and where the bodies are at some postures.
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

/// What the bodies are, in their own axes:
///   {"name", "parent", "axis", "rotor", "identified": {"mass", "centre", "shape"}, "prior": ..}
/// with parent an index or -1, axis null where nothing moves, and shape the rows of the upper
/// triangle [m^2]. One entry of `identified` and `prior` a body of the robot; one without mass has
/// no ellipsoid, and neither has one that is impossible.
nlohmann::ordered_json bodies_json(const Robot& robot,
                                   const std::vector<BodyParameters>& identified,
                                   const std::vector<BodyParameters>& prior);

/// How much the ellipsoids of `bodies` hide each other at these poses, seen from where the page
/// looks at them first: the sum over pairs of exp(-d' (S_i + S_j)^-1 d / 2), d the distance of
/// their centers and S their shapes in the picture. Rotors do not count.
double overlap_in_view(const Robot& robot, const std::vector<BodyParameters>& bodies,
                       const std::vector<Eigen::Isometry3d>& poses);

/// {"bodies", "postures": [{"time_s", "poses": [[x, y, z, qx, qy, qz, qw], ..]}, ..], "posture":
/// index}: postures of the log, or that of all coordinates at zero with the time null if there are
/// none; the index is that of the least overlap.
nlohmann::ordered_json skeleton_json(const Robot& robot,
                                     const std::vector<BodyParameters>& identified,
                                     const std::vector<BodyParameters>& prior,
                                     const std::vector<Posture>& postures);

}  // namespace heft
