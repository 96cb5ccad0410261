// What is a pause of a log, and how many steps its clock is judged from.
#pragma once

namespace heft {

/// A pause is longer than so many median steps, unless options say otherwise.
inline constexpr double kPauseInSteps = 10;

/// Steps of the log that the clock is judged from.
inline constexpr int kProbedSteps = 10000;

}  // namespace heft
