// Rules about signs and order of columns, which turn on the torque that the robot file asks for:
// the fit, whose bodies are free, has the last word.
#pragma once

#include <algorithm>
#include <string_view>

namespace heft {

inline bool is_told_by_file(std::string_view rule) {
  constexpr std::string_view kRules[] = {"torque-reversed", "position-reversed", "joint-reversed",
                                         "torques-swapped", "positions-swapped", "joints-swapped"};
  return std::find(std::begin(kRules), std::end(kRules), rule) != std::end(kRules);
}

}  // namespace heft
