// Unit of stamps that are evidently not in seconds, for the remedies of errors.
#pragma once

#include <string>

namespace heft {

/// Returns how many of a unit make a second: 1000 of "ms".
inline double units_per_second(const std::string& unit) {
  if (unit == "ms") return 1e3;
  if (unit == "us") return 1e6;
  return unit == "ns" ? 1e9 : 1;
}

/// Returns the unit in which stamps of this rate [1 per unit] make a log of 10 Hz to 10 kHz: "ms",
/// "us" or "ns"; empty if they do so in seconds, or in no unit.
inline std::string likely_time_unit(double rate) {
  constexpr double kLowest = 10, kHighest = 1e4;
  if (rate >= kLowest) return "";
  for (const char* unit : {"ms", "us", "ns"})
    if (const double hertz = rate * units_per_second(unit); hertz >= kLowest && hertz <= kHighest)
      return unit;
  return "";
}

}  // namespace heft
