// A source whose coarse stamps are replaced by a uniform clock, where the stamps agree with one
// (stamp_resolution.hpp).
//
// The first rows of every group of columns decide whether it has coarse stamps; those that follow
// continue its line. Memory: the rows that a decision is made from.
#pragma once

#include <memory>

#include "heft/base/result.hpp"
#include "heft/log/source.hpp"
#include "readers/clock_report.hpp"

namespace heft {

/// `report`, which the source keeps, is about the first group's clock; complete at the source's
/// end. Errors: LogFormat::rate_hz beside several groups.
Result<SourcePtr> with_uniform_clock(SourcePtr source, const LogFormat& format, double max_gap_s,
                                     std::shared_ptr<ClockReport> report);

}  // namespace heft
