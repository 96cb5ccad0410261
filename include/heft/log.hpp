// From a recorded log to Samples: streamed reading and zero-phase conditioning in constant memory.
//
//   CSV -> rows -> segments (gaps) -> uniform grid -> low-pass -> differentiate -> trim -> decimate -> dead
//   band
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "heft/channel.hpp"
#include "heft/result.hpp"
#include "heft/robot.hpp"
#include "heft/samples.hpp"

namespace heft {

/// Where in the file the signals are. In a pattern {joint} stands for the joint's name and {i} for its index
/// from 1; the first pattern all of whose columns exist wins.
struct LogFormat {
  std::string delimiter =
      "auto";  ///< "auto" (comma, semicolon, tab or blank, seen from the header), or the character
  std::string time = "t";
  std::vector<std::string> position = {"q_{joint}", "q{i}"};
  std::vector<std::string> velocity = {"qd_{joint}", "qd{i}"};
  std::vector<std::string> acceleration = {"qdd_{joint}", "qdd{i}"};
  std::vector<std::string> torque = {"tau_{joint}", "tau{i}"};
  std::string angle_unit = "rad";  ///< "rad" or "deg", of angles in position, velocity and acceleration
  double time_scale = 1;           ///< seconds per unit of the time column
  double torque_scale = 1;         ///< N m per unit of the torque columns
};

enum class FilterKind { none, butterworth, savitzky_golay };
enum class VelocitySource { from_position, logged };

struct ConditioningOptions {
  double resample_hz = 0;  ///< 0: keep the log's own rate; resample only if its stamps jitter
  FilterKind filter = FilterKind::butterworth;
  double lowpass_hz = 10;        ///< cut-off on position (and logged velocity)
  double torque_lowpass_hz = 0;  ///< cut-off on torque; 0: as lowpass_hz
  int butterworth_order = 4;     ///< per direction; applied forward and backward
  int savgol_window = 21;        ///< samples, odd
  int savgol_order = 3;
  VelocitySource velocity = VelocitySource::from_position;
  int trim = 50;       ///< samples dropped at both ends of every segment, after filtering
  int keep_every = 1;  ///< decimation after trimming
  std::vector<double>
      dead_band;  ///< per coordinate (or one for all): rows with |qd| below it drop out, that joint's only
  std::vector<double>
      torque_limit;  ///< per channel (or one for all): raw |torque| at or above it is clipped: row dropped
  double max_gap_s = 0;  ///< a longer pause starts a new segment; 0: ten median periods
  std::int64_t window =
      16384;  ///< uniform samples conditioned at a time; the result does not depend on it beyond 1e-12
};

/// Known torque to subtract, per channel: an expression in q1, qd1, qdd1 .. (or q_<joint> ..), or a log
/// column. Signals for columns are expressions over the same names; log columns may be used by their own
/// names.
struct DerivedSignals {
  std::map<int, std::string> known_torque;  ///< channel -> expression
  std::vector<std::string> signals;         ///< expression of Samples::signal's columns
};

struct LogSummary {
  std::string path;
  std::string sha256;         ///< of the file's bytes
  std::int64_t num_rows = 0;  ///< data rows in the file
  int num_segments = 0;
  double duration_s = 0;
  double rate_hz = 0;            ///< of the uniform grid
  double jitter = 0;             ///< largest |step - median| / median
  std::int64_t num_samples = 0;  ///< emitted
  DroppedRows dropped;
};

/// Reads and conditions one log, handing blocks of consecutive Samples to `sink` in order, a fresh segment
/// index whenever continuity breaks. Blocks depend only on the file and the options, never on read size or
/// timing. `sink` may return an error to stop. `progress`, if given, hears the fraction done. Errors:
/// unreadable, empty or header-only file, missing or duplicate columns, wrong field count, text, overflow or
/// non-monotonic time at file:line, too short for the filter, expression errors; each with a remedy.
Result<LogSummary> condition_log(const std::string& path, const Robot& robot,
                                 const std::vector<Channel>& channels, const LogFormat& format,
                                 const ConditioningOptions& options, const DerivedSignals& derived,
                                 const std::function<Result<Done>(int segment, const Samples& block)>& sink,
                                 const std::function<void(double fraction)>& progress = {});

}  // namespace heft
