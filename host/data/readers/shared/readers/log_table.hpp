// A log as one table on one clock: what all who read rows of logs read.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "heft/base/result.hpp"
#include "heft/log/source.hpp"
#include "readers/clock_report.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// A source of one group.
struct LogTable {
  SourcePtr source;
  /// Rows in which a column that is recorded more seldom than the others was interpolated; complete
  /// at the source's end.
  std::shared_ptr<const std::map<std::string, std::int64_t>> filled;
  /// Samples that log.bridge_spikes replaced, by column; complete once columns were selected.
  std::shared_ptr<const std::map<std::string, std::int64_t>> bridged;
  std::shared_ptr<const ClockReport> clock;  ///< of the first group; complete at the source's end

  const ColumnGroup& columns() const { return source->groups().front(); }
};

/// Stamps times LogFormat::time_scale are seconds. Errors: those of opening the log, of its clock
/// (LogFormat::time_unit) and of join_groups.
Result<LogTable> open_table(const Log& log, const LogFormat& format, double max_gap_s);

}  // namespace heft
#pragma GCC visibility pop
