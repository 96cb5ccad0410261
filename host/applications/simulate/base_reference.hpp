// The motion that a simulated base should follow, and the load of its feet over time.
#pragma once

#include <Eigen/Geometry>
#include <array>
#include <cstdint>
#include <vector>

#include "heft/simulate/simulate.hpp"

namespace heft {

/// Position and orientation with their derivatives, in the world.
struct BaseTarget {
  Eigen::Vector3d position, velocity, acceleration;
  Eigen::Quaterniond orientation;                          ///< world from base
  Eigen::Vector3d angular_velocity, angular_acceleration;  ///< in the world
};

/// Sums of three sines for every direction.
class BaseReference {
 public:
  BaseReference(const SimulatedBase& base, std::uint64_t seed);
  BaseTarget at(double t) const;

 private:
  struct Wave {
    std::array<double, 3> size, w, phase;
    double at(double t, int order) const;
  };
  Eigen::Matrix3d orientation(double t) const;
  Eigen::Vector3d angular_velocity(double t) const;  ///< in the world

  std::array<Wave, 3> place_, angle_;  ///< angles: roll, pitch, yaw
};

/// Returns the share of the load that every foot may take at a time, 0 in the air, at most 1.
/// `group`: 0 or 1, the half of the feet to which a foot belongs while trotting.
std::vector<double> foot_loads(Gait gait, const std::vector<int>& group, double t);

}  // namespace heft
