// Times of day as people write them: 2026-03-01T08:15:00.25Z (ISO 8601, RFC 3339).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#pragma GCC visibility push(default)
namespace heft {

/// A time since 1970 in UTC. The two parts keep the nanoseconds that one double would lose.
struct IsoStamp {
  std::int64_t seconds = 0;
  double fraction = 0;  ///< [s], 0 .. 1
};

/// YYYY-MM-DD, 'T' or a blank, hh:mm:ss, decimals behind a point or comma, then Z, +hh:mm, +hhmm,
/// +hh or nothing, which is UTC, too. None if `text` is anything else or there is no such day.
std::optional<IsoStamp> parse_iso_stamp(std::string_view text);

}  // namespace heft
#pragma GCC visibility pop
