// Trimming and lower case of ASCII text, independent of the locale.
#pragma once

#include <string>
#include <string_view>

namespace heft {

inline constexpr std::string_view kBlanks = " \t\r\n";

/// Returns the text without leading and trailing `blanks`.
inline std::string_view trimmed(std::string_view text, std::string_view blanks = kBlanks) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Converts A to Z to a to z; all other bytes are unchanged.
inline std::string in_lower_case(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

}  // namespace heft
