// Names of columns in a CSV header.
#pragma once

#include <string>

#pragma GCC visibility push(default)
namespace heft {

/// The name as the reader of logs takes it back: in quotes if it holds what separates columns.
std::string csv_name(const std::string& name);

}  // namespace heft
#pragma GCC visibility pop
