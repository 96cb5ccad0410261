// Renamed words: the former ones are still accepted, with a note.
#pragma once

#include <cstdio>
#include <mutex>
#include <set>
#include <string>

#include "tools/heft/printable.hpp"

namespace heft::tools {

/// Prints a note such as "sisters is now called population" to standard error, once per process.
inline void note_renamed(const std::string& note) {
  static std::mutex mutex;
  static std::set<std::string> printed;
  const std::lock_guard<std::mutex> lock(mutex);
  if (printed.insert(note).second)
    std::fprintf(stderr, "heft: note: %s\n", printable(note).c_str());
}

}  // namespace heft::tools
