// Times in ISO 8601 (RFC 3339): 2026-03-01T08:15:00.25Z.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#pragma GCC visibility push(default)
namespace heft {

/// A time since 1970 in UTC. The two parts preserve the nanoseconds that one double would lose.
struct IsoStamp {
  std::int64_t seconds = 0;
  double fraction = 0;  ///< [s], 0 .. 1
};

/// Parses YYYY-MM-DD, 'T' or a space, hh:mm:ss, decimals after a point or comma, then Z, +hh:mm,
/// +hhmm, +hh or nothing, which also means UTC. Empty if `text` has any other form or the day does
/// not exist.
std::optional<IsoStamp> parse_iso_stamp(std::string_view text);

}  // namespace heft
#pragma GCC visibility pop
