// From a recorded log to Samples: streamed reading and zero-phase conditioning in constant memory.
//
//   source -> rows -> segments (gaps) -> uniform grid -> low-pass -> differentiate -> trim ->
//   decimate -> weigh
//
// Columns of several clocks are joined first: the columns of all groups but the first are
// interpolated linearly at the first group's times; NaN outside their rows and within a pause.
// Columns of a table that have a number in less than half of its rows are treated in the same way.
//
// A floating base is logged as base_wx, base_wy, base_wz [rad/s] and base_fx, base_fy, base_fz
// [m/s^2], the specific force a - g of the root link's origin, both in the root link's axes;
// base_wdx, base_wdy, base_wdz [rad/s^2] are optional and otherwise obtained by differentiation.
// BaseSource names other columns: an IMU at another frame, or poses.
// Threads: safe to call from several threads. For logs of more than a few thousand rows, a call
// reads ahead in its own thread; its sink runs on the calling thread.
#pragma once

#include <Eigen/Geometry>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heft/base/enum_names.hpp"
#include "heft/base/result.hpp"
#include "heft/log/source.hpp"
#include "heft/model/parameter_layout.hpp"
#include "heft/model/robot.hpp"
#include "heft/model/samples.hpp"
#include "heft/signal/smoother.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct UnknownWrenches;  // rows/unknown_wrenches.hpp

/// Origin of the velocity: differentiated positions, or logged columns.
enum class VelocitySource { from_position, logged };

/// What the columns of the base measure.
enum class BaseMeasurement {
  imu,   ///< angular velocity and specific force of the frame, in its axes
  pose,  ///< position and quaternion of the frame in the world, whose z axis points up
};

template <>
struct EnumNames<BaseMeasurement> {
  static constexpr EnumName<BaseMeasurement> kList[] = {{BaseMeasurement::imu, "imu"},
                                                        {BaseMeasurement::pose, "pose"}};
};

/// The order of a quaternion's columns; there is no default.
enum class PoseQuaternion { unstated, xyzw, wxyz };

template <>
struct EnumNames<PoseQuaternion> {
  static constexpr EnumName<PoseQuaternion> kList[] = {{PoseQuaternion::unstated, "unstated"},
                                                       {PoseQuaternion::xyzw, "xyzw"},
                                                       {PoseQuaternion::wxyz, "wxyz"}};
};

/// Columns of the motion of a floating base. Without names: base_wx .. base_wz, base_fx .. base_fz,
/// and base_wdx .. base_wdz if they are there.
struct BaseSource {
  BaseMeasurement source = BaseMeasurement::imu;
  std::string frame;               ///< a link fixed to the root link; empty: the root link
  std::vector<std::string> gyro;   ///< three columns [rad/s]; empty: base_wx, base_wy, base_wz
  std::vector<std::string> accel;  ///< three columns [m/s^2]; empty: base_fx, base_fy, base_fz
  /// Seven columns: position [m], then the quaternion, of the frame in the world. With an IMU they
  /// only give the direction of the world's axes; may then be empty.
  std::vector<std::string> pose;
  PoseQuaternion quaternion = PoseQuaternion::unstated;
  bool bias = false;      ///< unknowns: biases of gyroscope and accelerometer
  bool rotation = false;  ///< unknowns: a small rotation of the IMU against the frame

  bool operator==(const BaseSource&) const = default;
};

/// How the rows of a log become samples.
struct ConditioningOptions {
  /// Rate of the uniform grid. 0: the log's own rate, with unchanged stamps unless they jitter by
  /// more than 1e-3 of a period. If they do, or if a rate is given, samples are interpolated
  /// linearly at uniform times. A rate far below the log's aliases noise into the signal.
  double resample_hz = 0;
  FilterKind filter = FilterKind::butterworth;
  double lowpass_hz = 10;  ///< cutoff on position (and logged velocity)
  /// The cutoff is to be chosen on the training logs (choose_cutoff), starting with lowpass_hz.
  /// condition_log returns an Error if it is set.
  bool chooses_lowpass = false;
  double torque_lowpass_hz = 0;  ///< cutoff on torque; 0: same as lowpass_hz
  int butterworth_order = 4;     ///< per direction; applied forward and backward
  /// Applies the torque's filter to the rows of the regressor too, so that both sides of the
  /// equation are filtered equally and position needs only the light filter that differentiation
  /// requires. Known torques are filtered like rows; log columns in expressions are filtered like
  /// position.
  bool filter_rows = false;
  /// Kind of equations to sum: torque, momentum, impulse, power or work
  /// (host/dynamics/rows/shared/rows/row_kind.hpp). Predicted torques and their errors do not
  /// depend on it. Rows that depend on the motion around them, and the raw measured torques, are
  /// filtered: by the filter of filter_rows, or without it by one with half the cutoff.
  std::string rows = "torque";
  int savgol_window = 21;  ///< samples, odd
  int savgol_order = 3;    ///< of the polynomials
  VelocitySource velocity = VelocitySource::from_position;
  /// [s]: delay of the logged torque relative to its motion. The motion is shifted earlier by the
  /// delay, between samples by cubic interpolation; kept rows and their torques do not move. If
  /// joints differ, the motion stays in place and every torque is shifted instead. Ends of segments
  /// are trimmed by the same time.
  PerJoint torque_delay_s = 0;
  /// Samples dropped at both ends of every segment after filtering. Empty: the range in which the
  /// filter depends on padding, which is two periods of the cutoff on torque, or one window of a
  /// Savitzky-Golay filter.
  std::optional<int> trim;
  int keep_every = 1;  ///< decimation after trimming
  /// [rad/s] or [m/s], per coordinate or one for all: rows of a joint with |qd| below it are
  /// dropped for that joint only.
  std::vector<double> dead_band;
  /// Cutoff on the position or velocity that the dead band is compared with, before any delay; 0:
  /// same as lowpass_hz. It allows recipes with different filters to be compared on the same rows.
  double dead_band_lowpass_hz = 0;
  /// [N m] or [N], per channel except those of sensors, or one for all of these: a row whose raw
  /// |torque| reaches it is clipped and dropped.
  std::vector<double> torque_limit;
  /// Joints whose torque is not used and may be missing from the log: their rows have weight 0,
  /// their bodies remain.
  std::vector<std::string> excluded_joints;
  BaseSource base;  ///< where the motion of a floating base comes from
  /// False: accepts a log without torques; its rows have torque 0 and weight 1.
  bool need_torque = true;
  double max_gap_s = 0;  ///< a longer pause starts a new segment [s]; 0: ten median periods
  /// Uniform samples conditioned at a time; changes the result by at most 1e-12.
  std::int64_t window = 16384;

  /// Returns the cutoff on torque [Hz].
  double torque_cutoff_hz() const { return torque_lowpass_hz > 0 ? torque_lowpass_hz : lowpass_hz; }
};

/// A signal with memory: its state advances over every uniform row of a segment.
struct MemorySignal {
  int coordinate = 0;                                   ///< joint whose motion drives the state
  std::function<std::unique_ptr<ColumnMemory>()> make;  ///< makes a state for one pass over a log
};

/// Computes torques for the motion of samples, num_samples x num_channels.
using TorqueFunction = std::function<Result<Eigen::ArrayXXd>(const Samples& block)>;

/// What a BlockFunction reads beside the motion of a block.
struct BlockInputs {
  Eigen::ArrayXXd logged;  ///< num_samples x columns, low-passed like log columns in expressions
  /// num_samples x 4, quaternion x, y, z, w of the root link in the world; empty without poses.
  const Eigen::ArrayXXd& orientation;
};

/// A computation by code instead of an expression: adds to the known torque of a block, or sets
/// signals, from motion and log columns.
struct BlockFunction {
  std::string where;                 ///< names it in errors: "wrenches: left foot"
  std::vector<std::string> columns;  ///< log columns that it reads
  std::vector<int> signals;          ///< signals that it sets; their expressions are empty
  bool adds_known_torque = false;
  std::function<Result<Done>(const BlockInputs& inputs, Samples& block)> apply;
};

/// Known torques and signals computed from the log. The known torque of a channel, which is
/// subtracted, is an expression in q1, qd1, qdd1 .. (or q_<joint> ..) or a log column. Signals for
/// columns are expressions over the same names. Log columns may be used by their own names; load1
/// .. (or load_<joint> ..) are the torques that `load` computes for the block. All are evaluated on
/// conditioned data; log columns are low-passed like torques (with filter_rows like position).
struct DerivedSignals {
  std::map<int, std::string> known_torque;  ///< channel -> expression
  std::vector<std::string> signals;         ///< one expression per column of Samples::signal
  std::vector<std::string> signal_names;    ///< names for errors: "columns: wrist inertia"; may be
                                            ///< empty
  /// Computes the torque that a reference robot would need for the samples' motion, num_samples x
  /// num_channels; may be empty if no expression uses a load.
  TorqueFunction load;
  int num_threads = 1;  ///< threads that evaluate expressions; does not change the results
  /// Signals with memory, by their index in `signals`, where their expressions are empty.
  std::map<int, MemorySignal> memories = {};
  std::map<int, double> torque_gain = {};  ///< channel -> divisor of its measured torque
  /// Signal -> channel of a gain, which multiplies all of the torque: known torques are added to
  /// these signals.
  std::map<int, int> gain_signals = {};
  TorqueFunction payload = {};                ///< torque of a known payload, which is subtracted
  std::vector<BlockFunction> functions = {};  ///< applied in order, after all expressions
  /// Pose of BaseSource::frame in the root link.
  Eigen::Isometry3d X_root_frame = Eigen::Isometry3d::Identity();
  /// All wrenches on a floating base and its links are known: without columns of its own, the
  /// torque of a base channel is zero instead of unknown.
  bool base_is_free = false;
  /// Wrenches without sensors, whose effect is removed from rows; null: none. Only filtered rows of
  /// torque (ConditioningOptions::filter_rows) can be projected: others contain the effect.
  std::shared_ptr<const UnknownWrenches> unknown_wrenches = nullptr;
};

/// Time spent on a log, by activity. For logs of more than a few thousand rows, a thread reads
/// ahead: disk and parsing share that thread and overlap with computing, so the slower of the two
/// threads determines the total.
struct ReadingTimes {
  double disk_s = 0;       ///< waiting for the file
  double parsing_s = 0;    ///< converting text to numbers
  double computing_s = 0;  ///< conditioning, and all further processing of the samples
  double total_s = 0;      ///< from the first byte to the last sample; 0 if nothing was read

  /// Returns the slowest activity, "disk", "parsing" or "computing", which limits the total; empty
  /// if nothing was read.
  std::string limit() const;
};

/// Summary of one log: its source, the rows read, and the result of conditioning.
struct LogSummary {
  std::string path;           ///< path of a file; otherwise the log's name
  std::string sha256;         ///< digest of the contents of the source: of a file's bytes
  LogPart part = {};          ///< part of the file that was read; not stored in moments files
  std::int64_t num_rows = 0;  ///< data rows of the first group
  int num_segments = 0;       ///< segments that were passed to the sink
  double duration_s = 0;      ///< from the first to the last stamp
  double rate_hz = 0;  ///< rows per time without pauses; the rate of the uniform grid if resampled
  double clock_step_s = 0;  ///< period of the uniform clock that replaced stamps which were
                            ///< multiples of it; 0: stamps were used
  double jitter = 0;        ///< largest |step - median| / median, without pauses
  std::int64_t num_interpolated = 0;  ///< uniform samples between stamps
  /// [s] Rms of the time shifts that LogFormat::retime removed from the rows; not stored in moments
  /// files.
  double shift_s = 0;
  /// Number of interpolated rows by column name, for columns recorded less often than the others;
  /// not stored in moments files.
  std::map<std::string, std::int64_t> filled;
  std::map<std::string, std::int64_t> bridged;  ///< spike samples replaced, by column; not stored
                                                ///< in moments files
  /// Unreadable parts of truncated files, as sentences; not stored in moments files.
  std::vector<std::string> losses;
  std::int64_t num_samples = 0;  ///< passed to the sink
  double sample_period_s = 0;    ///< between samples passed to the sink
  /// Samples further apart than this have independent noise: 36 time constants of a Butterworth
  /// filter, whose response is then below double precision; one window of a Savitzky-Golay filter.
  double filter_reach_s = 0;
  DroppedRows dropped;
  ReadingTimes reading;  ///< not stored in moments files
};

/// Robot, channels and options with which a log is read. Holds references, which must outlive it.
struct LogReading {
  const Robot& robot;
  const std::vector<Channel>& channels;
  const LogFormat& format;             ///< names and units of columns
  const ConditioningOptions& options;  ///< conditioning steps
  const DerivedSignals& derived;  ///< known torques and signals that are computed from the columns
};

/// Receives blocks of consecutive samples in order; may return an error to stop.
using BlockSink = std::function<Result<Done>(int segment, const Samples& block)>;
/// Receives the completed fraction, 0 to 1.
using HearFraction = std::function<void(double fraction)>;

/// Reads and conditions one log and passes blocks of consecutive Samples to `sink` in order. The
/// segment index increases at every discontinuity: a pause, or a position, velocity or used log
/// column that is NaN. A NaN torque removes the rows around it from its own channel only. Blocks
/// depend only on the log and the options, never on read size or timing. `sink` may return an error
/// to stop. `progress`, if given, receives the completed fraction. `dropped` counts rows per
/// channel: "repeated time stamp", "not a number", "segment too short", "edge of segment"
/// (trimmed), "clipped torque", "dead band"; rows skipped by keep_every do not count as dropped.
/// Errors: unreadable, empty or header-only file, missing or duplicate columns, wrong field count,
/// text, overflow or non-monotonic time at file:line, columns of one clock with different lengths,
/// no rows, too short for the filter, expression errors, a pause where full turns are counted,
/// angles that must be degrees where angle_unit is "auto" (after the last block); each with a
/// remedy.
Result<LogSummary> condition_log(const Log& log, const LogReading& reading, const BlockSink& sink,
                                 const HearFraction& progress = {});

}  // namespace heft
#pragma GCC visibility pop
