// Counts with their noun in messages.
#pragma once

#include <string>

namespace heft {

/// Returns "1 robot", "2 robots".
template <class Count>
std::string counted(Count count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace heft
