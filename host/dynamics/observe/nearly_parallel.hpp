// Axes that are parallel but for a small angle: a drawing's 1.5707 for a right angle, or an angle
// that is meant. The rank of what is measured jumps at zero, so between the two every count is a
// guess: both are found by turning the axis. FORMULAS 5.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "heft/observe/observe.hpp"

namespace heft::identifiability {

/// Every joint axis of a normalized robot that is nearly parallel to the axis of the joint before
/// it, or the first one to gravity, with the counts that `count` gives for the robot whose axis is
/// parallel, and clearly not; only where these differ; below 1e-3 rad, and 16 at most.
std::vector<NearlyParallel> nearly_parallel(const Robot& robot,
                                            const std::function<int(const Robot&)>& count);

/// The robot with all small angles between neighboring axes (and gravity) enlarged by one factor,
/// the largest to a clear angle: it identifies what the robot itself does if no direction is too
/// small to see. Nothing if there are no such angles.
std::optional<Robot> with_clear_angles(const Robot& robot);

}  // namespace heft::identifiability
