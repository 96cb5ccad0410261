// Checks of numbers on the command line.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>
#include <string>

namespace heft::tools {

/// Returns the number that a text is; NaN if it is not a finite number.
inline double finite_number(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const bool is_number = end != text.c_str() && *end == '\0' && std::isfinite(value);
  return is_number ? value : std::nan("");
}

/// A finite number of 0 or more. CLI11's own check lets NaN and infinity through.
inline CLI::Validator not_negative() {
  return CLI::Validator(
      [](const std::string& text) {
        return finite_number(text) >= 0 ? std::string()
                                        : fmt::format("'{}' is not a number of 0 or more", text);
      },
      "NONNEGATIVE");
}

/// A finite number above 0 for a limit. CLI11's own check lets NaN through and prints the largest
/// double in full.
inline CLI::Validator positive_limit() {
  return CLI::Validator(
      [](const std::string& text) {
        return finite_number(text) > 0
                   ? std::string()
                   : fmt::format("'{}' is not a number above 0; omit the flag for no limit", text);
      },
      "POSITIVE");
}

}  // namespace heft::tools
