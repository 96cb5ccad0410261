// Texts from files, such as names of joints, on their way to a terminal.
#pragma once

#include <string>

namespace heft::tools {

/// Control bytes become '?', but for line feeds and tabs, and so do those of UTF-8, U+0080 to U+009F, which some terminals take for the
/// same: an escape sequence in a file must not command a terminal.
inline std::string printable(std::string text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const auto next = static_cast<unsigned char>(at + 1 < text.size() ? text[at + 1] : 0);
    if (byte == 0xC2 && next >= 0x80 && next < 0xA0) text[at] = text[at + 1] = '?';
    if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f) text[at] = '?';
  }
  return text;
}

}  // namespace heft::tools
