// NumPy files for tests, byte by byte: a header as NumPy writes it, followed by numbers.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

namespace heft {

/// Magic, version, length and dictionary, padded with blanks to a multiple of 64 bytes as NumPy
/// does.
inline std::string npy_header(const std::string& dictionary, int version = 1) {
  const std::size_t length_size = version == 1 ? 2 : 4;
  const std::size_t preamble = 8 + length_size;
  std::string text = dictionary;
  text.append((64 - (preamble + text.size() + 1) % 64) % 64, ' ');
  text += '\n';
  std::string bytes = std::string("\x93NUMPY") + static_cast<char>(version) + '\0';
  for (std::size_t k = 0; k < length_size; ++k) bytes += static_cast<char>(text.size() >> (8 * k));
  return bytes + text;
}

template <class Number>
void append_number(std::string& bytes, Number number) {
  char raw[sizeof number];
  std::memcpy(raw, &number, sizeof number);
  bytes.append(raw, sizeof number);
}

}  // namespace heft
