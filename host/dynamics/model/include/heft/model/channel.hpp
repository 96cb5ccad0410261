// What is measured: a screw on a body and everything outward of it, with a name and a unit
// (FORMULAS 1). Threads: plain values: share them for reading; a thread that changes one must own
// it.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "heft/model/robot.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct Channel {
  std::string name;     ///< the joint's name, or "base_fx" .. "base_nz", "<sensor>_fx" ..
  std::string unit;     ///< "N m" or "N"
  int coordinate = -1;  ///< joint torque: the coordinate whose screw it is, over all bodies that it
                        ///< drives
  int body = -1;        ///< otherwise: the body that carries the screw
  /// Screw (w, u) = (angular, linear) in the body's frame; only if coordinate == -1.
  Eigen::Vector3d angular = Eigen::Vector3d::Zero();
  Eigen::Vector3d linear = Eigen::Vector3d::Zero();
  bool is_sensor = false;  ///< of a sensor: neither a joint's nor a floating base's
  double scale = 1;        ///< of a sensor: [N] or [N m] per unit of the log
  double offset = 0;  ///< of a sensor: what it shows without load [N] or [N m], subtracted after
                      ///< scaling
};

/// One channel per coordinate, in their order; with a floating base six more come first: force then
/// torque at the origin of the root link, in its axes.
std::vector<Channel> default_channels(const Robot& robot);

/// Those that are sensors'.
std::vector<Channel> sensors_among(const std::vector<Channel>& channels);

}  // namespace heft
#pragma GCC visibility pop
