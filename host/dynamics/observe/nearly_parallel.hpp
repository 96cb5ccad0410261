// Axes that are parallel up to a small angle, either a rounding error such as 1.5707 for a right
// angle, or intended. The rank is discontinuous at zero, so counts near it are ambiguous: both are
// computed by rotating the axis. FORMULAS 5.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "heft/observe/observe.hpp"

namespace heft::identifiability {

/// Returns every joint axis of a normalized robot that is nearly parallel to the previous axis, or
/// for the first one to gravity, with the results of `count` for an exactly parallel and a clearly
/// rotated axis. Only axes below 1e-3 rad where these differ; at most 16.
std::vector<NearlyParallel> nearly_parallel(const Robot& robot,
                                            const std::function<int(const Robot&)>& count);

/// Returns the robot with all small angles between neighboring axes (and gravity) enlarged by one
/// factor that makes the largest a clear angle. It has the identifiability of the robot itself if
/// no direction is too small to detect. Empty without such angles.
std::optional<Robot> with_clear_angles(const Robot& robot);

}  // namespace heft::identifiability
