// Motions without torques, read from tables: motions to be recorded, and tasks of a robot. Threads:
// stateless; safe to call from several threads.
#pragma once

#include <Eigen/Core>
#include <string>

#include "heft/base/result.hpp"
#include "heft/model/robot.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// A motion of all coordinates at its samples; jerk may be empty.
struct MotionSamples {
  Eigen::VectorXd time;  ///< [s], increasing, approximately uniform
  Eigen::ArrayXXd position, velocity, acceleration, jerk;  ///< samples x coordinates, SI

  Eigen::Index size() const { return time.size(); }
};

/// Reads a motion from a table with t and q_<joint> of all joints. qd_ and qdd_ are read if all
/// joints have them; otherwise positions are differentiated. Errors name file and line: missing
/// columns, times that do not increase, gaps, numbers that are not finite.
Result<MotionSamples> read_motion(const std::string& path, const Robot& robot);

/// Reads a task from a table. Without t, rows are states q_<joint> (qd_ and qdd_ are zero if all
/// columns of that kind are missing). With t, the table is a log, whose missing derivatives are
/// computed from positions through a low-pass of 10 Hz. Decimated evenly to at most kMaxTaskStates.
Result<MotionSamples> read_task(const std::string& path, const Robot& robot);
inline constexpr Eigen::Index kMaxTaskStates = 2000;

}  // namespace heft
#pragma GCC visibility pop
