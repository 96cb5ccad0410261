// Strings in YAML.
#pragma once

#include <string>

#pragma GCC visibility push(default)
namespace heft {

/// Returns any text as a double-quoted YAML string.
std::string yaml_quoted(const std::string& text);

}  // namespace heft
#pragma GCC visibility pop
