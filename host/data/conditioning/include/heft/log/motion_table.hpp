// Motions without torques, from tables: what somebody means to record, or what a robot will do.
// Threads: plain values and functions without memory.
#pragma once

#include <Eigen/Core>
#include <string>

#include "heft/base/result.hpp"
#include "heft/model/robot.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// A motion of all coordinates at its samples; jerk may be empty.
struct MotionSamples {
  Eigen::VectorXd time;                                    ///< [s], rising, about uniform
  Eigen::ArrayXXd position, velocity, acceleration, jerk;  ///< samples x coordinates, SI

  Eigen::Index size() const { return time.size(); }
};

/// A motion from a table with t and q_<joint> of all joints; qd_ and qdd_ are read if all joints
/// have them, else differences of positions. Errors name file and line: columns that are missing,
/// times that do not rise, gaps, numbers that are not finite.
Result<MotionSamples> read_motion(const std::string& path, const Robot& robot);

/// What a robot will do, from a table: states, q_<joint> (qd_, qdd_: zero where all of one kind are
/// missing), or with t a log, whose missing derivatives are differences of positions through a
/// low-pass of 10 Hz. Thinned out to kMaxTaskStates, evenly.
Result<MotionSamples> read_task(const std::string& path, const Robot& robot);
inline constexpr Eigen::Index kMaxTaskStates = 2000;

}  // namespace heft
#pragma GCC visibility pop
