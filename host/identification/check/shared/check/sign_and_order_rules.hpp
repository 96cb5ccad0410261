// Rules about signs and order of columns that depend on torques computed from the robot file; the
// fit, whose bodies are free, overrides them.
#pragma once

#include <algorithm>
#include <string_view>

namespace heft {

/// Returns whether a rule depends on the robot file's torques.
inline bool is_told_by_file(std::string_view rule) {
  constexpr std::string_view kRules[] = {"torque-reversed", "position-reversed", "joint-reversed",
                                         "torques-swapped", "positions-swapped", "joints-swapped"};
  return std::find(std::begin(kRules), std::end(kRules), rule) != std::end(kRules);
}

}  // namespace heft
