// Help with names that do not match: what the user may have meant, and what there is.
#pragma once

#include <string>
#include <vector>

namespace heft {

/// "did you mean 'q_1'? the header has t, q_1, q_2, ..": the nearest of `available` by edit distance, if any
/// is near, and the list introduced by `introduction`, cut where it gets long.
std::string name_hint(const std::string& wanted, const std::vector<std::string>& available,
                      const std::string& introduction);

}  // namespace heft
