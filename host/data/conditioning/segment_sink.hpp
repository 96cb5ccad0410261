// Interface through which the segments of a log reach their conditioner: SegmentConditioner on the
// host, LogWave on a device.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "conditioning/expressions.hpp"
#include "conditioning/position_range.hpp"
#include "heft/base/result.hpp"
#include "heft/log/log.hpp"
#include "log_rows.hpp"
#include "time_base.hpp"
#include "window.hpp"

namespace heft {

/// Returns the size at which each torque column is clipped; infinite for none.
std::vector<double> torque_limits(const LogColumns& columns, const std::vector<Channel>& channels,
                                  const ConditioningOptions& options);

/// Receives the rows of a log segment by segment, in order of time.
class SegmentSink {
 public:
  virtual ~SegmentSink() = default;

  /// Starts a segment at its first row.
  virtual Result<Done> start(const LogRow& row) = 0;
  virtual Result<Done> add(const LogRow& row) = 0;
  /// Ends the segment. Returns false if it was too short.
  virtual Result<bool> finish() = 0;
  /// Returns the number of uniform rows between stamps, of all segments.
  virtual std::int64_t num_interpolated() const = 0;
};

/// What is known of a log before its rows are conditioned. A sink may keep references.
struct ReadLog {
  const ConditioningPlan& plan;
  const TimeBase& base;
  Expressions& expressions;
  LogSummary& summary;
};
using MakeSegmentSink = std::function<Result<std::unique_ptr<SegmentSink>>(const ReadLog& log)>;

/// Reads a log and passes its segments to a sink. Returns the summary without what the sink sets:
/// samples, and rows that it drops. Errors: those of condition_log before samples are made.
Result<LogSummary> read_segments(const Log& recorded, const LogReading& reading,
                                 const MakeSegmentSink& make_sink, const HearFraction& progress);

/// Checks a log whose samples are complete. Errors: no samples; positions in degrees.
Result<Done> check_samples(const LogSummary& summary, const PositionRange& range,
                           const LogReading& reading);

}  // namespace heft
