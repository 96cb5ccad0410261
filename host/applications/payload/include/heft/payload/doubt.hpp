// What a payload's log or answer must be doubted for, and how to fix it.
// Threads: plain values: share them for reading; a thread that changes one must own it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace heft {

struct PayloadDoubt {
  std::string id;  ///< one word of docs/payload.md
  bool serious = false;
  std::string what, remedy;
  std::string log = {};               ///< path of the log it is about; empty: all of them
  bool accepted = false;              ///< somebody looked, and it is as it should be
  std::optional<double> from_s = {};  ///< time of the log [s] at which it begins, where it does
};

/// A serious doubt that was not accepted.
inline bool has_open_doubt(const std::vector<PayloadDoubt>& doubts) {
  for (const PayloadDoubt& doubt : doubts)
    if (doubt.serious && !doubt.accepted) return true;
  return false;
}

}  // namespace heft
#pragma GCC visibility pop
