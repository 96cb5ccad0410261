// What format a log has, by its first bytes.
#pragma once

#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace heft {

/// "npy", "hdf5" or, of all that is nothing else, "csv"; empty: a format that open_file refuses.
std::string_view format_of_file(const std::string& path);

}  // namespace heft
#pragma GCC visibility pop
