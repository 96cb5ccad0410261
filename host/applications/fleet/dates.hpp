// Dates of recordings, and stamps of files.
#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>

namespace heft {

/// Parses "2026-11-22", "2026-11-22T06:00" or "..:00:00.5", followed by Z, an offset such as
/// +02:00, or nothing (UTC); a space may replace the T. Returns seconds since 1970 in UTC; empty if
/// the text is not a valid date.
std::optional<double> date_of(const std::string& text);

/// Converts a file's time stamp.
inline double seconds_of(const std::timespec& stamp) {
  return static_cast<double>(stamp.tv_sec) + 1e-9 * static_cast<double>(stamp.tv_nsec);
}

/// Returns the current time in seconds since 1970.
double now_s();

/// "2026-11-22T06:00:00Z"
std::string date_text(double seconds);

}  // namespace heft
