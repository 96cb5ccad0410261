// Texts from files, such as names of joints, on their way to a terminal.
#pragma once

#include <string>

#include "base/readable_text.hpp"

namespace heft::tools {

/// Valid UTF-8 without control characters, but for line feeds and tabs: an escape sequence in a
/// file must not command a terminal.
inline std::string printable(const std::string& text) {
  return readable(text, "\n\t");
}

}  // namespace heft::tools
