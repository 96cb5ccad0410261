// Spatial vectors and inertias for identifiability. Motion vectors are angular first: v = (w, u).
// An inertia is linear in the ten parameters pi of core::Parameter, and everything here is a matrix
// or vector that acts on pi.
//
// FORMULAS 5 defines the maps A and B through the 6x6 inertia I(pi); with the pseudo-inertia J(pi),
// which changes frame as J -> T J T', and the screw f = (w, u) they are
//
//   f^      = [[[w]x, u], [0, 0]]
//   A(f) pi = vee((f x)' I + I (f x)) = -vee(f^ J + J f^')
//   B pi    = vee(X' I X)             = vee(T J T')
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "heft/model/robot.hpp"
#include "model/cross_matrix.hpp"

namespace heft::identifiability {

using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;
using Vector10 = BodyParameters;
using Matrix10 = Eigen::Matrix<double, 10, 10>;

/// f x, the derivative of motion vectors along f.
Matrix6 motion_cross(const Vector6& f);

/// X: motion vectors of the parent's axes in those of a body with this pose in the parent.
Matrix6 motion_transform(const Eigen::Isometry3d& X_parent_body);

/// A(f): how the parameters of a body change, as seen from its parent, when it moves along f.
Matrix10 inertia_rate(const Vector6& f);

/// B: the parameters of a body, expressed in the frame of its parent.
Matrix10 inertia_to_parent(const Eigen::Isometry3d& X_parent_body);

/// The vector k with k'pi = v' I(pi) f.
Vector10 coupling(const Vector6& v, const Vector6& f);

/// The joint's screw in the body's own frame, per unit of the joint coordinate; zero for a rigid
/// joint.
Vector6 joint_screw(const Body& body);

/// Pose in the parent at a value of the joint coordinate [rad or m].
Eigen::Isometry3d pose_at(const Body& body, double joint_coordinate);

}  // namespace heft::identifiability
