// Makes strings from files, such as names of joints, safe for a terminal.
#pragma once

#include <string>

#include "base/readable_text.hpp"

namespace heft::tools {

/// Valid UTF-8 without control characters except line feeds and tabs: an escape sequence in a file
/// must not control a terminal.
inline std::string printable(const std::string& text) {
  return readable(text, "\n\t");
}

}  // namespace heft::tools
