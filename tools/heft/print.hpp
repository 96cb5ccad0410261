// What commands say, with texts from files in it.
#pragma once

#include <cstdio>
#include <string>
#include <utility>

#include "tools/heft/printable.hpp"

namespace heft::tools {

/// To standard output. Control bytes become '?', those of UTF-8, U+0080 to U+009F, too: some terminals take them for the same.
inline void print(std::string text) {
  for (std::size_t at = 0; at + 1 < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]), next = static_cast<unsigned char>(text[at + 1]);
    if (byte == 0xC2 && next >= 0x80 && next < 0xA0) text[at] = text[at + 1] = '?';
  }
  std::fputs(printable(std::move(text)).c_str(), stdout);
}

}  // namespace heft::tools
