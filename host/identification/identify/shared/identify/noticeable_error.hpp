// From which error on something is wrong enough for its price to say what.
#pragma once

namespace heft {

/// Relative error of all torques. Below it neither the price of being physical nor a channel is
/// doubted: a motion in the air that is explained to half a per cent has no torque of another unit
/// in it.
inline constexpr double kErrorThatShows = 0.02;

}  // namespace heft
