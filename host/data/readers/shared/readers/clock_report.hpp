// What the reader found out about the resolution of a log's stamps, and what it did about it.
#pragma once

#include <cstdint>

namespace heft {

enum class ClockState {
  as_logged,  ///< stamps are used as they are
  rebuilt,    ///< stamps are rounded: a uniform clock replaces them
  uncertain,  ///< stamps are rounded, and rows are lost: nothing tells when the rows were recorded
};

struct ClockReport {
  ClockState state = ClockState::as_logged;
  double step_s = 0;      ///< of which all stamps are multiples
  double period_s = 0;    ///< between rows
  std::int64_t line = 0;  ///< of the first row whose stamp does not fit a uniform clock, in the
                          ///< source; 0: unknown
};

}  // namespace heft
