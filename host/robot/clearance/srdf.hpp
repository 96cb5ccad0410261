// Reads the disabled pairs of links from an SRDF file.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "heft/base/result.hpp"

namespace heft {

using LinkNames = std::pair<std::string, std::string>;

/// Returns the <disable_collisions link1 link2> of a file, each pair sorted by name. Errors name
/// file and line: not an SRDF, a robot with another name, links that are not in `links`.
Result<std::set<LinkNames>> read_disabled_pairs(const std::string& path, const std::string& robot,
                                                const std::vector<std::string>& links);

}  // namespace heft
