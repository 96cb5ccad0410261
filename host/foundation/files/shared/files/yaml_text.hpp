// Texts for YAML.
#pragma once

#include <string>

#pragma GCC visibility push(default)
namespace heft {

/// In double quotes, as YAML reads them, whatever it holds.
std::string yaml_quoted(const std::string& text);

}  // namespace heft
#pragma GCC visibility pop
