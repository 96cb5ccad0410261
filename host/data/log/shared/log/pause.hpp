// What is a pause of a log.
#pragma once

namespace heft {

/// A pause is longer than so many median steps, unless options say otherwise.
inline constexpr double kPauseInSteps = 10;

}  // namespace heft
