// Source that replaces coarse stamps by a uniform clock if they are consistent with one
// (stamp_resolution.hpp).
//
// The first rows of every group of columns decide whether its stamps are coarse; later rows
// continue the fitted line. Memory: the rows used for the decision.
#pragma once

#include <memory>

#include "heft/base/result.hpp"
#include "heft/log/source.hpp"
#include "readers/clock_report.hpp"

namespace heft {

/// Keeps a reference to `report`, which describes the first group's clock and is complete at the
/// source's end. Errors: LogFormat::rate_hz with several groups.
Result<SourcePtr> with_uniform_clock(SourcePtr source, const LogFormat& format, double max_gap_s,
                                     std::shared_ptr<ClockReport> report);

}  // namespace heft
