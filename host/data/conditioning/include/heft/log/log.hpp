// From a recorded log to Samples: streamed reading and zero-phase conditioning in constant memory.
//
//   source -> rows -> segments (gaps) -> uniform grid -> low-pass -> differentiate -> trim ->
//   decimate -> weigh
//
// Columns of several clocks are joined first: those of all groups but the first are taken at the
// first's times, on the straight line between the rows around, nan where there are none or a pause
// lies between them. So are columns of a table that hold a number in less than half of its rows.
//
// A floating base is logged as base_wx, base_wy, base_wz [rad/s] and base_fx, base_fy, base_fz
// [m/s^2], the specific force a - g of the root link's origin, both in the root link's axes;
// base_wdx, base_wdy, base_wdz [rad/s^2] may follow, and are otherwise differentiated. Threads: any
// number of threads may call; of a log of more than some thousand rows each call reads ahead in a
// thread of its own, its sink runs on the thread that called.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/log/source.hpp"
#include "heft/model/parameter_layout.hpp"
#include "heft/model/robot.hpp"
#include "heft/model/samples.hpp"
#include "heft/signal/smoother.hpp"

#pragma GCC visibility push(default)
namespace heft {

enum class VelocitySource { from_position, logged };

struct ConditioningOptions {
  /// 0: the log's own rate, its stamps as they are unless they jitter beyond 1e-3 of a period;
  /// otherwise, and if a rate is given, samples at even times by linear interpolation. A rate far
  /// below the log's folds noise into the signal.
  double resample_hz = 0;
  FilterKind filter = FilterKind::butterworth;
  double lowpass_hz = 10;  ///< cutoff on position (and logged velocity)
  /// The cutoff is to be chosen on the training logs (choose_cutoff), beginning with lowpass_hz. An
  /// error of condition_log.
  bool chooses_lowpass = false;
  double torque_lowpass_hz = 0;  ///< cut-off on torque; 0: as lowpass_hz
  int butterworth_order = 4;     ///< per direction; applied forward and backward
  /// The rows of the regressor go through the torque's filter, too: so both sides of the equation
  /// lose the same, and position needs no more than the light filter that its derivatives ask for.
  /// Known torques go through it as rows do; log columns in expressions are filtered like position.
  bool filter_rows = false;
  /// Which equations are summed: torque, momentum, impulse, power or work
  /// (host/dynamics/rows/shared/rows/row_kind.hpp). Torques are predicted and judged as without
  /// this option. Rows that are made of the motion around them go through a filter, and so do
  /// torques as they were measured: that of filter_rows, or without it one of half the cut-off.
  std::string rows = "torque";
  int savgol_window = 21;  ///< samples, odd
  int savgol_order = 3;    ///< of the polynomials
  VelocitySource velocity = VelocitySource::from_position;
  /// [s]: the torque is logged this much later than the motion that it belongs to, which is
  /// therefore taken so much earlier, between samples by cubic interpolation. The rows kept and
  /// their torques do not move. Where joints differ, the motion keeps its place and every torque is
  /// taken so much later. Ends of segments are trimmed by as much.
  PerJoint torque_delay_s = 0;
  /// Samples dropped at both ends of every segment, after filtering. Empty: as long as the filter
  /// invents what it does not know, which is two periods of the cut-off on torque, one window of a
  /// Savitzky-Golay filter.
  std::optional<int> trim;
  int keep_every = 1;  ///< decimation after trimming
  /// [rad/s] or [m/s], per coordinate or one for all: rows with |qd| below it drop out, that
  /// joint's only.
  std::vector<double> dead_band;
  /// Cut-off on the position or velocity that the dead band looks at, before any delay; 0: as
  /// lowpass_hz. So recipes with different filters can be compared on the same rows.
  double dead_band_lowpass_hz = 0;
  /// [N m] or [N], per channel that is no sensor's or one for all of these: a row whose raw
  /// |torque| reaches it is clipped and drops out.
  std::vector<double> torque_limit;
  /// Joints whose torque is not used, and need not be in the log: their rows have weight 0, their
  /// bodies stay.
  std::vector<std::string> excluded_joints;
  /// False: a log without torques is welcome; its rows have torque 0 and weight 1.
  bool need_torque = true;
  double max_gap_s = 0;  ///< a longer pause starts a new segment; 0: ten median periods
  /// Uniform samples conditioned at a time; the result does not depend on it beyond 1e-12.
  std::int64_t window = 16384;

  /// Of torque [Hz].
  double torque_cutoff_hz() const { return torque_lowpass_hz > 0 ? torque_lowpass_hz : lowpass_hz; }
};

/// A signal whose state advances over every uniform row of a segment.
struct MemorySignal {
  int coordinate = 0;                                   ///< whose motion it hears
  std::function<std::unique_ptr<ColumnMemory>()> make;  ///< a state for every pass over a log
};

/// Known torque to subtract, per channel: an expression in q1, qd1, qdd1 .. (or q_<joint> ..), or a
/// log column. Signals for columns are expressions over the same names; log columns may be used by
/// their own names; load1 .. (or load_<joint> ..) is what `load` makes of the block. All are
/// evaluated on conditioned data, log columns low-passed like torques (with filter_rows like
/// position).
struct DerivedSignals {
  std::map<int, std::string> known_torque;  ///< channel -> expression
  std::vector<std::string> signals;         ///< one expression per column of Samples::signal
  std::vector<std::string> signal_names;  ///< what errors call them: "columns: wrist inertia"; may
                                          ///< be empty
  /// Torque that a reference robot would need for the samples' motion, num_samples x num_channels;
  /// may be empty if no expression holds a load.
  std::function<Result<Eigen::ArrayXXd>(const Samples& block)> load;
  int num_threads = 1;  ///< that share expressions out among them; changes no bit
  /// Signals with memory, by their place in `signals`, where their expressions are empty.
  std::map<int, MemorySignal> memories = {};
};

/// Where the time for a log went. Of a log of more than some thousand rows a thread reads ahead, so
/// that disk and parsing, which share it, go on beside computing, and what takes longest decides.
struct ReadingTimes {
  double disk_s = 0;       ///< waiting for the file's bytes
  double parsing_s = 0;    ///< making numbers of them
  double computing_s = 0;  ///< conditioning, and all that is done with the samples
  double total_s = 0;      ///< from the first byte to the last sample; 0 if nothing was read

  /// "disk", "parsing" or "computing": what must become faster for all to do; empty if nothing was
  /// read.
  std::string limit() const;
};

struct LogSummary {
  std::string path;           ///< of a file; else the log's name
  std::string sha256;         ///< of all that the source holds: a file's bytes
  LogPart part = {};          ///< of the file that was read; no part of moments files
  std::int64_t num_rows = 0;  ///< data rows, of the first group
  int num_segments = 0;       ///< emitted
  double duration_s = 0;      ///< from the first stamp to the last
  double rate_hz = 0;       ///< rows over the time they span, pauses apart; of the uniform grid if
                            ///< resampled
  double clock_step_s = 0;  ///< stamps were multiples of it, and a uniform clock replaced them; 0:
                            ///< stamps were used
  double jitter = 0;        ///< largest |step - median| / median, pauses apart
  std::int64_t num_interpolated = 0;  ///< uniform samples that lie between stamps
  /// [s] Rms of the time shifts that LogFormat::retime took out of the rows; no part of moments
  /// files.
  double shift_s = 0;
  /// Rows that a column that is recorded more seldom than the others was interpolated in, by the
  /// column's name; no part of moments files.
  std::map<std::string, std::int64_t> filled;
  std::map<std::string, std::int64_t> bridged;  ///< samples that were spikes, by column; no part of
                                                ///< moments files
  /// Parts of truncated files that could not be read, as sentences; no part of moments files.
  std::vector<std::string> losses;
  std::int64_t num_samples = 0;  ///< emitted
  double sample_period_s = 0;    ///< between emitted samples
  /// Samples further apart share no noise: of a Butterworth filter 36 time constants, after which
  /// nothing is left in double precision; a window of a Savitzky-Golay filter's.
  double filter_reach_s = 0;
  DroppedRows dropped;
  ReadingTimes reading;  ///< no part of moments files
};

/// What samples of a log are of, and how they are made. It refers to what it is given, which must
/// outlive it.
struct LogReading {
  const Robot& robot;
  const std::vector<Channel>& channels;
  const LogFormat& format;             ///< names and units of columns
  const ConditioningOptions& options;  ///< what is done to them
  const DerivedSignals& derived;       ///< known torques and signals that are computed of them
};

/// Takes blocks of consecutive samples, in order; may return an error to stop.
using BlockSink = std::function<Result<Done>(int segment, const Samples& block)>;
/// Hears the fraction done, 0 to 1.
using HearFraction = std::function<void(double fraction)>;

/// Reads and conditions one log, handing blocks of consecutive Samples to `sink` in order, a fresh
/// segment index whenever continuity breaks: at a pause, or where a position, velocity or used log
/// column is nan. A torque that is nan costs its own channel the rows around it. Blocks depend only
/// on the log and the options, never on read size or timing. `sink` may return an error to stop.
/// `progress`, if given, hears the fraction done. `dropped` counts rows per channel: "repeated time
/// stamp", "not a number", "segment too short", "edge of segment" (trimmed), "clipped torque",
/// "dead band"; rows left out by keep_every are not dropped. Errors: unreadable, empty or
/// header-only file, missing or duplicate columns, wrong field count, text, overflow or
/// non-monotonic time at file:line, columns of one clock that are not equally long, no rows, too
/// short for the filter, expression errors, a pause where turns are counted, angles that must be
/// degrees where angle_unit is "auto" (after the last block); each with a remedy.
Result<LogSummary> condition_log(const Log& log, const LogReading& reading, const BlockSink& sink,
                                 const HearFraction& progress = {});

}  // namespace heft
#pragma GCC visibility pop
