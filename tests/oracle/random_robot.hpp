// Random robots of every kind that Heft supports: trees of all joint types with skew, aligned and
// negative axes, rotors, mimic joints, massless bodies in joint chains, fixed and floating bases.
// Equal options and seed give the same robot.
//
// Bodies come in depth-first order; siblings are in the order of their joints' names. A rotor is a
// leaf just before the link whose coordinate drives it, on the link that this one hangs on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heft/model/robot.hpp"
#include "tests/oracle/random.hpp"

namespace heft::oracle {

struct RandomRobotOptions {
  /// Moving links with parameters; rotors, massless bodies and a floating root come on top.
  int min_bodies = 1;
  int max_bodies = 8;
  /// One is drawn for every joint; repeat a type to make it more likely.
  std::vector<JointType> joint_types{JointType::revolute, JointType::revolute, JointType::prismatic,
                                     JointType::helical};
  double branching = 0.3;  ///< probability that a link hangs on an earlier link than the last one
  double aligned = 0.5;    ///< probability that an axis is +-x, y or z; as well for a placement of
                           ///< right angles
  double rotors = 0;       ///< probability of a rotor on a joint that drives its own coordinate
  double symmetric_rotors = 0.5;  ///< probability that a rotor is symmetric
  double mimics = 0;              ///< probability that a joint follows an earlier coordinate
  double massless = 0;            ///< probability that a link is moved by a chain of two joints
  bool floating_base = false;
  bool random_gravity = false;  ///< any direction, 1 to 15 m/s^2; otherwise 9.81 down z

  /// Everything at once.
  static RandomRobotOptions everything(bool floating_base) {
    RandomRobotOptions options;
    options.rotors = options.mimics = options.massless = 0.3;
    options.floating_base = floating_base;
    options.random_gravity = true;
    return options;
  }
};

/// Ten parameters of a body with mass m whose mass is spread about the center `com` with the
/// covariance C (3x3, positive definite): Sigma = m (C + c c'), I = tr(Sigma) 1 - Sigma.
BodyParameters parameters_of_spread_mass(double mass, const Eigen::Vector3d& com,
                                         const Eigen::Matrix3d& covariance);

/// A physically consistent body: its pseudo-inertia is positive definite.
BodyParameters random_parameters(Random& random, double smallest_mass = 0.1,
                                 double largest_mass = 10, double size = 0.1);

/// The same, rotationally symmetric about a unit axis through the frame's origin.
BodyParameters random_symmetric_parameters(Random& random, const Eigen::Vector3d& axis);

/// The robot of these options and this seed.
Robot random_robot(const RandomRobotOptions& options, std::uint64_t seed);

}  // namespace heft::oracle
