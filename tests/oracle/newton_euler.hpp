// The second independent oracle: Newton's and Euler's equations of every body in base axes, with
// 3-vectors.
//
// Outward, with z the joint axis, r from the parent's origin to the body's, and s the slide along
// z:
//   w  = w_p + z th'                        wd = wd_p + z th'' + w_p x z th'
//   a  = a_p + wd_p x r + w_p x (w_p x r) + 2 w_p x z s' + z s''
// where a is the classical acceleration of the origin minus gravity. What moves a body, at its
// origin:
//   f = m a + wd x h + w x (w x h)          n = I wd + w x I w + h x a
// A joint feels the wrenches of everything outward of it, moved to its origin:
//   revolute z.n, prismatic z.f, helical z.n + pitch z.f, each times the ratio of the joint
//   coordinate.
//
// Torques come from the inward recursion; the regressor, from the same f and n for unit parameters
// and from an explicit sum over ancestors, shares only the outward recursion with them.
#pragma once

#include <array>
#include <vector>

#include "tests/oracle/motion.hpp"

namespace heft::oracle {

/// Motion of a body's frame, everything in base axes.
struct BodyMotion {
  Matrix3r R;   ///< orientation: x_base = R x_body + p
  Vector3r p;   ///< origin [m]
  Vector3r w;   ///< angular velocity [rad/s]
  Vector3r wd;  ///< angular acceleration [rad/s^2]
  Vector3r a;   ///< classical acceleration of the origin minus gravity [m/s^2]
};

struct Wrench {
  Vector3r force = Vector3r::Zero();
  Vector3r torque = Vector3r::Zero();  ///< about the origin that the context names
};

/// Outward recursion over all bodies.
std::vector<BodyMotion> body_motions(const Robot& robot, const Motion& motion);

/// The wrench about the body's origin, in base axes, that moves a body of the given parameters.
Wrench body_wrench(const BodyMotion& body, const BodyParameters& parameters);

/// The same forces with their torque about another origin.
Wrench moved(const Wrench& wrench, const Vector3r& from, const Vector3r& to);

/// What a body's joint contributes to the channel of its coordinate, given the wrench about the
/// body's origin.
Real joint_torque(const Body& body, const BodyMotion& motion, const Wrench& wrench);

Eigen::Matrix<Real, 6, 1> in_axes(const Matrix3r& R, const Wrench& wrench);

/// All channels [N m or N] for the robot's priors, by the inward recursion; without friction and
/// damping.
Eigen::VectorXd newton_euler_torques(const Robot& robot, const Motion& motion);

/// Six rows of a sensor: the force and then the torque that move a body and everything outward of
/// it, at the body's origin in its axes; 6 x num_columns.
Eigen::MatrixXd newton_euler_wrench_regressor(const Robot& robot, const Motion& motion, int body);

/// Dense regressor Y (num_channels x num_columns): tau = Y stacked_parameters(robot).
Eigen::MatrixXd newton_euler_regressor(const Robot& robot, const Motion& motion);

}  // namespace heft::oracle
