// Names of columns in a CSV header.
#pragma once

#include <string>

#pragma GCC visibility push(default)
namespace heft {

/// Returns the name as a CSV field (RFC 4180): in quotes if it contains separators or quotes, which
/// are then written twice.
std::string csv_name(const std::string& name);

}  // namespace heft
#pragma GCC visibility pop
