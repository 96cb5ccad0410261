// Numbers in messages, for modules that have no library to format them.
#pragma once

#include <cstdio>
#include <string>

namespace heft {

/// As printf's %g with so many digits: "12.5", "1e-05".
inline std::string number_text(double value, int digits = 6) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

}  // namespace heft
