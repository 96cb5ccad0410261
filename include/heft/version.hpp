// The version of Heft that a program is compiled with; CMake reads it here. Threads: plain values;
// concurrent reads are safe, a writer needs exclusive access.
#pragma once

#define HEFT_VERSION_MAJOR 0
#define HEFT_VERSION_MINOR 1
#define HEFT_VERSION_PATCH 0

namespace heft {

/// "major.minor.patch". Until 1.0 a different minor version may change the interface; versions
/// whose minor numbers differ can be installed side by side.
inline constexpr char kVersion[] = "0.1.0";

}  // namespace heft
