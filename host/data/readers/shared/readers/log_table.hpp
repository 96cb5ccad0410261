// A log as one table on one clock, used by all readers of rows.
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

/// A source with one group.
struct LogTable {
  SourcePtr source;
  /// Number of rows interpolated in a column that is recorded less often than the others; complete
  /// at the source's end.
  std::shared_ptr<const std::map<std::string, std::int64_t>> filled;
  /// Number of samples that log.bridge_spikes replaced, by column; complete once columns are
  /// selected.
  std::shared_ptr<const std::map<std::string, std::int64_t>> bridged;
  std::shared_ptr<const ClockReport> clock;  ///< of the first group; complete at the source's end

  const ColumnGroup& columns() const { return source->groups().front(); }
};

/// Opens a log as a table. Stamps times LogFormat::time_scale are seconds. Errors: those of opening
/// the log, of its clock (LogFormat::time_unit) and of join_groups.
Result<LogTable> open_table(const Log& log, const LogFormat& format, double max_gap_s);

}  // namespace heft
#pragma GCC visibility pop
