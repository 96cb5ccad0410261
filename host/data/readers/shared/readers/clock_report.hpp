// The resolution of a log's stamps, and how the reader handled it.
#pragma once

#include <cstdint>

namespace heft {

/// Treatment of the stamps.
enum class ClockState {
  as_logged,  ///< stamps are used unchanged
  rebuilt,    ///< stamps are rounded: replaced by a uniform clock
  uncertain,  ///< stamps are rounded and rows are missing: the times of the rows are unknown
};

/// Resolution and period of the stamps.
struct ClockReport {
  ClockState state = ClockState::as_logged;
  double step_s = 0;      ///< all stamps are multiples of it
  double period_s = 0;    ///< between rows
  std::int64_t line = 0;  ///< first row whose stamp does not fit a uniform clock, in the source; 0:
                          ///< unknown
};

}  // namespace heft
