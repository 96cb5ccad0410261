// Text that is the same in every row of a text table, such as the joint names that rostopic echo -p
// writes.
#pragma once

#include <string>
#include <vector>

#include "heft/log/source.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Returns one text per column of the file: the text of its first and last rows if they agree;
/// empty for numbers, changing text, and files that are not text tables.
std::vector<std::string> constant_texts(const std::string& path, const LogFormat& format);

}  // namespace heft
#pragma GCC visibility pop
