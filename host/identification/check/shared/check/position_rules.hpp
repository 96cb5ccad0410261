// Rules about units of positions.
#pragma once

#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace heft {

/// Returns the names of the rules that find positions in units other than radians, degrees and
/// meters.
std::vector<std::string> position_unit_rules();

}  // namespace heft
#pragma GCC visibility pop
