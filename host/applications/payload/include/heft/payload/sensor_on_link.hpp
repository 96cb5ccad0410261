// A sensor on a link of a robot whose coordinates are logged: its motion comes by forward
// kinematics.
//
// Positions are smoothed and differentiated, and the wrench filtered, as heft identify does it with
// joints and torques (heft/log/log.hpp); w, wd and u of the link follow from q, qd and qdd
// (FORMULAS 1). Rows half a second or more apart, or without a time, are poses at rest. Threads:
// plain values, and a function that any number of threads may call.
#pragma once

#include <string>

#include "heft/log/log.hpp"
#include "heft/payload/wrench_log.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct SensorOnLink {
  Robot robot;
  std::string link;  ///< SensorOptions::mounting is the sensor's pose in it
  LogFormat format;  ///< where the coordinates are; the wrench stands in fx,fy,fz,nx,ny,nz
  ConditioningOptions conditioning;
};

/// Samples in the sensor's frame. |g| is SensorOptions::gravity where that was set, down is where
/// the robot's gravity points. `about` hears what was read. Errors: those of condition_log; a link
/// that the robot does not move.
Result<WrenchSamples> read_wrench_log(const Log& log, const SensorOnLink& sensor,
                                      const SensorOptions& options, PayloadLog& about);

}  // namespace heft
#pragma GCC visibility pop
