#include "readers/log_table.hpp"

#include "readers/foreign_rows.hpp"
#include "readers/join.hpp"
#include "sparse_source.hpp"
#include "spikes.hpp"
#include "stamp_source.hpp"
#include "uniform_clock.hpp"

namespace heft {

Result<LogTable> open_table(const Log& log, const LogFormat& format, double max_gap_s) {
  const JoinOptions joining{format.time_scale, max_gap_s};
  HEFT_TRY(opened, log.open(format));
  HEFT_TRY(clocked, in_seconds(std::move(opened), format));
  if (format.drop_damaged) clocked = without_foreign_rows(log, format, std::move(clocked));
  auto bridged = std::make_shared<BridgedSamples>();
  if (format.bridge_spikes) clocked = without_spikes(log, format, std::move(clocked), bridged);
  auto clock = std::make_shared<ClockReport>();
  HEFT_TRY(uniform, with_uniform_clock(std::move(clocked), format, max_gap_s, clock));
  HEFT_TRY(joined, join_groups(std::move(uniform), joining));
  auto filled = std::make_shared<FilledRows>();
  return LogTable{fill_sparse_columns(std::move(joined), joining, filled), filled, bridged, clock};
}

}  // namespace heft
