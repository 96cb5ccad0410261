// Torques by brute force: every body is a cloud of point masses, the energies of the points are
// functions of their positions alone, and Lagrange's equations are differentiated directly.
//
// For a path q(t) and its variation q(t) + eps h(t) e_k, the Lagrangian L = T - V along the path
// satisfies
//   dL/deps = h dL/dq_k + h' dL/dqd_k,
// so that with the coefficients [.]_{eps t^i} of jets (jet.hpp)
//   tau_k = d/dt dL/dqd_k - dL/dq_k = [L under h = t]_{eps t} - 2 [L under h = 1]_{eps}.
// No angular velocity, Jacobian or screw of a joint appears. A coordinate that drives several
// bodies (rotors, mimic joints) needs no care: they all move along the varied path.
//
// The wrench on a floating base, or on any body that carries a sensor, is Newton's: the sum of
// m (acceleration - gravity) over the points outward of it and its moment about the body's origin.
//
// The inertial frame is the one at rest with respect to the base's origin at t = 0 and aligned with
// its axes. How a - g is split into acceleration and gravity makes no difference; gravity is taken
// from the robot.
#pragma once

#include <vector>

#include "tests/oracle/jet.hpp"
#include "tests/oracle/motion.hpp"

namespace heft::oracle {

struct PointMass {
  Real mass;
  Vector3r position;  ///< in the body's frame [m]
};

/// Ten point masses at 0, +e_i, -e_i and e_i + e_j whose mass, first moment and tensor are the ten
/// parameters. Masses may be negative: the equations of motion are linear in them, and so every
/// vector of parameters has a cloud, massless rotors and unit parameters included.
///
/// With Sigma = 1/2 tr(I) 1 - I, the points e_i + e_j carry Sigma_ij; with D_i their sum over j,
/// the two on axis i carry the sum Sigma_ii - D_i and the difference h_i - D_i, and the origin what
/// is missing in the mass.
std::vector<PointMass> point_masses(const BodyParameters& parameters);

/// A frame that moves: x_inertial = R x + p.
struct JetPose {
  Matrix3j R;
  Vector3j p;
};

/// Rotation about a unit axis: 1 + sin(angle) [a]x + (1 - cos(angle)) [a]x^2 (Rodrigues).
Matrix3j rotation(const Vector3r& axis, const Jet& angle);

/// The base's path: R = 1 + t [w]x + t^2/2 ([wd]x + [w]x^2), p = t^2/2 a, to second order in t.
JetPose base_path(const Robot& robot, const Motion& motion);

/// Paths of all body frames when the coordinates follow q + t qd + t^2/2 qdd + variation.
std::vector<JetPose> body_paths(const Robot& robot, const Motion& motion,
                                const std::vector<Jet>& variation);

/// All point masses of a robot with the bodies that carry them.
struct CarriedPoint {
  int body;
  PointMass point;
};
std::vector<CarriedPoint> all_point_masses(const Robot& robot);

Vector3j path_of(const CarriedPoint& carried, const std::vector<JetPose>& paths);

/// L = sum m (1/2 |x'|^2 + g . x) along the varied path.
Jet lagrangian(const Robot& robot, const Motion& motion, const std::vector<CarriedPoint>& points,
               const std::vector<Jet>& variation);

/// Force and torque that move a body and everything outward of it, at the body's origin in its
/// axes.
Eigen::Matrix<double, 6, 1> point_mass_wrench(const Robot& robot, const Motion& motion, int body);

/// All channels [N m or N] for the robot's priors; friction and damping are not part of them.
Eigen::VectorXd point_mass_torques(const Robot& robot, const Motion& motion);

}  // namespace heft::oracle
