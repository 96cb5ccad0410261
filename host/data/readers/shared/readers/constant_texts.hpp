// Texts that are the same in every row of a text table, such as the names of joints that rostopic
// echo -p writes.
#pragma once

#include <string>
#include <vector>

#include "heft/log/source.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// One a column of the file: the text of its first and last rows where they agree; empty of
/// numbers, of texts that change, and of files that are no text tables.
std::vector<std::string> constant_texts(const std::string& path, const LogFormat& format);

}  // namespace heft
#pragma GCC visibility pop
