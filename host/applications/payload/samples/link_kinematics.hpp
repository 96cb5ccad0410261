// A sensor on a robot link: converts the robot's coordinates to the motion that a sensor with its
// own kinematics would log.
#pragma once

#include <vector>

#include "column_names.hpp"
#include "heft/payload/samples.hpp"
#include "model/poses.hpp"
#include "robot/link_place.hpp"

namespace heft::payload {

class LinkKinematics {
 public:
  /// Keeps references to both. Error: a link that the robot does not move.
  static Result<LinkKinematics> make(const SensorOnLink& sensor, const SensorOptions& options);

  const LinkPlace& place() const { return place_; }

  /// Returns the sensor's motion in its axes; |g| is SensorOptions::gravity if set.
  BodyMotion motion(const CoordinateMotion& state) const;

  /// Returns gravity in the sensor's frame, with the magnitude that motion() uses.
  Eigen::Vector3d gravity(const BodyMotion& motion) const;

  /// Returns the wrench that the sensor exerts, about its origin, in its axes.
  Vector6d wrench(const BodyMotion& motion, const Vector6d& logged) const;

 private:
  const Robot* robot_ = nullptr;
  const SensorOptions* options_ = nullptr;
  LinkPlace place_;
  Eigen::Isometry3d X_body_sensor_ = Eigen::Isometry3d::Identity();
  double scale_of_gravity_ = 1;
};

/// Returns the six numbers of a sensor as channels of the log, named after their columns.
std::vector<Channel> wrench_channels(int body, const WrenchNames& names);

}  // namespace heft::payload
