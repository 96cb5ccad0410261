// Definition of a pause in a log, and the number of steps from which its clock is judged.
#pragma once

namespace heft {

/// A pause is longer than this many median steps, unless options specify otherwise.
inline constexpr double kPauseInSteps = 10;

/// Number of steps from which the clock is judged.
inline constexpr int kProbedSteps = 10000;

}  // namespace heft
