// Suggestions for unknown names: the intended name, and the available ones.
#pragma once

#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace heft {

/// Returns the element of `available` nearest to a name by edit distance; empty if none is near.
std::string nearest_name(const std::string& wanted, const std::vector<std::string>& available);

/// Returns "did you mean 'q_1'? the header has t, q_1, q_2, ..": the nearest of `available` by edit
/// distance, if any is near, and the list introduced by `introduction`, shortened if it is long.
std::string name_hint(const std::string& wanted, const std::vector<std::string>& available,
                      const std::string& introduction);

/// Does the same, but suggests only names from `candidates`.
std::string name_hint(const std::string& wanted, const std::vector<std::string>& candidates,
                      const std::vector<std::string>& available, const std::string& introduction);

}  // namespace heft
#pragma GCC visibility pop
