// Output of commands that contains strings from files.
#pragma once

#include <cstdio>
#include <string>
#include <utility>

#include "tools/heft/printable.hpp"

namespace heft::tools {

/// Prints to standard output.
inline void print(std::string text) {
  std::fputs(printable(std::move(text)).c_str(), stdout);
}

}  // namespace heft::tools
