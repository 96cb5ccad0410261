// Checks of numbers on the command line.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>
#include <string>

namespace heft::tools {

/// A finite number of 0 or more. CLI11's own check lets NaN and infinity through.
inline CLI::Validator not_negative() {
  return CLI::Validator(
      [](const std::string& text) {
        char* end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        const bool is_number = end != text.c_str() && *end == '\0' && std::isfinite(value);
        return is_number && value >= 0 ? std::string()
                                       : fmt::format("'{}' is not a number of 0 or more", text);
      },
      "NONNEGATIVE");
}

}  // namespace heft::tools
