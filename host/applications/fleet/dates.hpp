// Dates of recordings, and stamps of files.
#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>

namespace heft {

/// Seconds since 1970 in UTC of "2026-11-22", "2026-11-22T06:00", "..:00:00.5", with Z, +02:00 or
/// nothing (then UTC) behind the time; a blank may stand for the T. None if it is no such date.
std::optional<double> date_of(const std::string& text);

/// Of a file's time stamp.
inline double seconds_of(const std::timespec& stamp) {
  return static_cast<double>(stamp.tv_sec) + 1e-9 * static_cast<double>(stamp.tv_nsec);
}

/// Seconds since 1970 now.
double now_s();

/// "2026-11-22T06:00:00Z"
std::string date_text(double seconds);

}  // namespace heft
