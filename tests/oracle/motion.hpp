// The state of motion that the oracles evaluate, and what both need to know about a robot's
// channels and columns.
//
// The base enters as (w, wd, a - g) in base axes (FORMULAS 1): zero, zero and minus gravity when it
// stands. Channels: with a floating base the force and then the torque at the root link's origin in
// its axes, then one torque or force per coordinate. Columns: ten per body with parameters, in the
// order of the bodies.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <limits>

#include "heft/model/robot.hpp"
#include "tests/oracle/random.hpp"

namespace heft::oracle {

struct Motion {
  Eigen::VectorXd q, qd, qdd;  ///< one entry per coordinate; rad or m and their time derivatives
  Eigen::Vector3d base_angular_velocity = Eigen::Vector3d::Zero();      ///< w [rad/s]
  Eigen::Vector3d base_angular_acceleration = Eigen::Vector3d::Zero();  ///< wd [rad/s^2]
  Eigen::Vector3d base_specific_force = Eigen::Vector3d::Zero();  ///< a - g of the base's origin
                                                                  ///< [m/s^2]
};

/// Motion of a robot whose base stands still in its gravity.
inline Motion motion_on_standing_base(const Robot& robot, const Eigen::VectorXd& q,
                                      const Eigen::VectorXd& qd, const Eigen::VectorXd& qdd) {
  Motion motion{q, qd, qdd};
  motion.base_specific_force = -robot.gravity;
  return motion;
}

/// Any state at all: angles over several turns, rates and accelerations of the order of 3 and 10 in
/// SI units; the base moves too if it floats.
inline Motion random_motion(const Robot& robot, Random& random) {
  const int n = robot.num_coordinates();
  const Eigen::VectorXd q = random.normal_vector(n);
  const Eigen::VectorXd qd = 3 * random.normal_vector(n);
  const Eigen::VectorXd qdd = 10 * random.normal_vector(n);
  Motion motion = motion_on_standing_base(robot, q, qd, qdd);
  for (int k = 0; k < n; ++k) motion.q[k] *= robot.coordinates[k].is_angle ? 3.0 : 0.3;
  if (robot.floating_base) {
    motion.base_angular_velocity = 2 * random.normal3();
    motion.base_angular_acceleration = 5 * random.normal3();
    motion.base_specific_force = 10 * random.normal3();
  }
  return motion;
}

/// Whether body j is body k or hangs on it.
inline bool is_outward(const Robot& robot, int j, int k) {
  while (j > k) j = robot.bodies[j].parent;  // parents have smaller indices
  return j == k;
}

inline int num_base_channels(const Robot& robot) {
  return robot.floating_base ? 6 : 0;
}
inline int num_channels(const Robot& robot) {
  return num_base_channels(robot) + robot.num_coordinates();
}

inline int num_columns(const Robot& robot) {
  int count = 0;
  for (const Body& body : robot.bodies) count += body.has_parameters ? 10 : 0;
  return count;
}

/// The priors of all bodies with parameters, one below the other: the x of tau = Y x.
inline Eigen::VectorXd stacked_parameters(const Robot& robot) {
  Eigen::VectorXd x(num_columns(robot));
  int column = 0;
  for (const Body& body : robot.bodies) {
    if (!body.has_parameters) continue;
    x.segment<10>(column) = body.prior;
    column += 10;
  }
  return x;
}

/// The oracles compute in long double, so that what they return is right to the last bits of a
/// double.
using Real = long double;
static_assert(std::numeric_limits<Real>::digits >= 64,
              "the oracles need more digits than a double has");
using Vector3r = Eigen::Matrix<Real, 3, 1>;
using Matrix3r = Eigen::Matrix<Real, 3, 3>;

/// The rotation that a matrix of doubles stands for: its rounding is a defect of 1e-16 from
/// orthonormality, which the two oracles would otherwise amplify in different ways.
inline Matrix3r exact_rotation(const Eigen::Matrix3d& rounded) {
  const Matrix3r extended = rounded.cast<Real>();
  return Eigen::Quaternion<Real>(extended).normalized().toRotationMatrix();
}
inline Vector3r exact_direction(const Eigen::Vector3d& rounded) {
  return rounded.cast<Real>().normalized();
}

}  // namespace heft::oracle
