// Motions that excite everything, for questions before there is a log.
#pragma once

#include "heft/model/robot.hpp"
#include "heft/model/samples.hpp"

namespace heft {

/// Returns 400 random states of a robot, always the same: positions of any angle, velocities up to
/// 3 rad/s, accelerations up to 10 rad/s^2. Torques and signals are empty.
Samples random_motion(const Robot& robot);

}  // namespace heft
