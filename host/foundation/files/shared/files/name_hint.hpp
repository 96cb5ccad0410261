// Help with names that do not match: what the user may have meant, and what there is.
#pragma once

#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace heft {

/// The nearest of `available` to a name by edit distance; empty if none is near.
std::string nearest_name(const std::string& wanted, const std::vector<std::string>& available);

/// "did you mean 'q_1'? the header has t, q_1, q_2, ..": the nearest of `available` by edit
/// distance, if any is near, and the list introduced by `introduction`, cut where it gets long.
std::string name_hint(const std::string& wanted, const std::vector<std::string>& available,
                      const std::string& introduction);

/// The same where only some of the `available` can be meant.
std::string name_hint(const std::string& wanted, const std::vector<std::string>& candidates,
                      const std::vector<std::string>& available, const std::string& introduction);

}  // namespace heft
#pragma GCC visibility pop
