// Numbers as text in messages, for modules without a formatting library.
#pragma once

#include <cstdio>
#include <string>

namespace heft {

/// Formats like printf's %g with this number of digits: "12.5", "1e-05".
inline std::string number_text(double value, int digits = 6) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

}  // namespace heft
