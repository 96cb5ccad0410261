// Makes text from files printable in messages: valid UTF-8 without control characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace heft {

/// Returns the length in bytes of the UTF-8 character at the start of `text`; 0 if it is invalid.
inline std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80                    ? 1
                             : first >= 0xC2 && first < 0xE0 ? 2
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t k = 1; k < length; ++k)
    if ((byte(k) & 0xC0) != 0x80) return 0;
  // overlong forms, surrogates, and code points beyond Unicode
  if (first == 0xE0 && byte(1) < 0xA0) return 0;
  if (first == 0xED && byte(1) >= 0xA0) return 0;
  if (first == 0xF0 && byte(1) < 0x90) return 0;
  if (first == 0xF4 && byte(1) >= 0x90) return 0;
  return length;
}

/// Replaces every invalid UTF-8 byte and every control character (C0, DEL and C1, which terminals
/// interpret) by '?', except those in `kept`.
inline std::string readable(std::string_view text, std::string_view kept = "") {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const auto byte = static_cast<unsigned char>(text.front());
    const bool is_c1 = length == 2 && byte == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0;
    const bool is_control =
        (byte < 0x20 || byte == 0x7f) && kept.find(text.front()) == std::string_view::npos;
    if (length == 0 || is_c1 || is_control)
      shown.append(is_c1 ? 2 : 1, '?');
    else
      shown.append(text.substr(0, length));
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return shown;
}

/// Returns the first `size` bytes, without a partial character at the end.
inline std::string_view first_of_text(std::string_view text, std::size_t size) {
  if (text.size() <= size) return text;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
  return text.substr(0, size);
}

}  // namespace heft
