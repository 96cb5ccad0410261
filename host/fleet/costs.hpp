// What pieces of work cost: measured by bench/fleet on two cores of a Xeon, one job each.
#pragma once

namespace heft {

inline constexpr double kSecondsPerLog = 0.012, kMapBytesPerSecond = 25e6;
inline constexpr double kSecondsPerRobot = 0.25, kSolveBytesPerSecond = 15e6;
inline constexpr double kProcess_mb = 60, kMap_mb = 60, kSolve_mb = 120;
inline constexpr double kLeaf_mb = 1.2, kPage_mb = 1.9;

}  // namespace heft
