// Names of columns in a CSV header.
#pragma once

#include <string>

#pragma GCC visibility push(default)
namespace heft {

/// Returns the name in the form that the log reader parses: quoted if it contains a separator.
std::string csv_name(const std::string& name);

}  // namespace heft
#pragma GCC visibility pop
