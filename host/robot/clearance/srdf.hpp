// Pairs of links that an SRDF file disables.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "heft/base/result.hpp"

namespace heft {

using LinkNames = std::pair<std::string, std::string>;

/// <disable_collisions link1 link2> of a file, each pair in the order of its names. Errors name
/// file and line: no SRDF, a robot of another name, links that `links` has not.
Result<std::set<LinkNames>> read_disabled_pairs(const std::string& path, const std::string& robot,
                                                const std::vector<std::string>& links);

}  // namespace heft
