// Costs of pieces of work, measured by bench/fleet on two cores of an EPYC, one job each.
#pragma once

#include <cstddef>

#include "robot_setup.hpp"

namespace heft {

inline constexpr double kSecondsPerLog = 0.014, kMapBytesPerSecond = 50e6;
inline constexpr double kSecondsPerRobot = 0.09, kSolveBytesPerSecond = 80e6;
inline constexpr double kProcess_mb = 90;  ///< includes the problems of a batch
inline constexpr double kLeaf_mb = 0.04;   ///< of a short log; that of a long one has stretches
inline constexpr double kPage_mb = 1.9;

/// Returns the memory that a job needs for a robot [MB]; jobs share only kProcess_mb.
double working_mb(const RobotSetup& robot, std::size_t num_leaves);

}  // namespace heft
