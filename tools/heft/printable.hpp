// Texts from files, such as names of joints, on their way to a terminal.
#pragma once

#include <string>

namespace heft::tools {

/// Control bytes become '?', but for line feeds and tabs: an escape sequence in a file must not command a terminal.
inline std::string printable(std::string text) {
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f) c = '?';
  }
  return text;
}

}  // namespace heft::tools
