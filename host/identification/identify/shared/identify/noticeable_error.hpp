// The error above which the price of physics (the cost of the constraints) indicates a fault.
#pragma once

namespace heft {

/// Relative error of all torques. Below it, neither the price of physics nor any channel is
/// doubted: if a motion in free space is explained to half a percent, no torque can have a wrong
/// unit.
inline constexpr double kErrorThatShows = 0.02;

}  // namespace heft
