// A log as the rules see it: every row as it stands in the file, and, where it can be conditioned,
// the clean samples beside the torque that the URDF asks for.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "conditioning/log_columns.hpp"
#include "heft/check/check.hpp"
#include "readers/clock_report.hpp"
#include "readers/foreign_rows.hpp"

namespace heft::check {

/// Rows of the file, not sorted, none dropped but foreign ones; SI units by the configuration's
/// word.
struct RawLog {
  std::vector<std::string> header;
  LogColumns columns;
  bool has_velocity = false;
  Eigen::ArrayXd time;             ///< [s]; nan where it is missing
  Eigen::ArrayXXd values;          ///< rows x LogColumns::num_values; nan where missing
  std::vector<std::int64_t> line;  ///< of every row in the file
  double median_step = 0;          ///< [s], of the steps forward
  ClockReport clock;               ///< resolution of the stamps
  bool is_cut = false;             ///< the file has more rows than were read
  ForeignRows foreign;             ///< rows of the file that are not among these

  Eigen::Index num_rows() const { return time.size(); }
  auto position(int joint) const { return values.col(columns.first_position + joint); }
  auto velocity(int joint) const { return values.col(columns.first_velocity + joint); }
  bool has_torque(int channel) const {
    return columns.torque[static_cast<std::size_t>(channel)] >= 0;
  }
  auto torque(int channel) const {
    return values.col(columns.torque[static_cast<std::size_t>(channel)]);
  }
  /// Header name of a value of a row.
  const std::string& name(int value) const {
    return header[static_cast<std::size_t>(columns.values[static_cast<std::size_t>(value)].column)];
  }
};

/// Numbers of a log that are held at a time: 256 MB, an hour of a seven-joint arm at 500 Hz.
inline constexpr std::size_t kMaxNumbers = std::size_t{1} << 25;

/// Reads rows until they hold `most_numbers`.
Result<RawLog> read_raw_log(const Log& file, const Robot& robot,
                            const std::vector<Channel>& channels, const CheckLogOptions& options,
                            std::size_t most_numbers = kMaxNumbers, const Progress& progress = {});

/// A joint with its position and its torque, as rules ask about it.
struct JointLog {
  int joint = 0;    ///< index into Robot::coordinates
  int channel = 0;  ///< index into channels
  bool moves = false;
};

struct LogEvidence {
  std::string what;
  double measure = 0;
  std::string unit;
  std::string remedy;
  std::int64_t line = 1;  ///< of the file; 1: the header, for what is no single row's fault
  double rows_share = 0;  ///< of the log's rows, where what was found is some of them
  double from_s = std::numeric_limits<double>::quiet_NaN();  ///< the stretch it is in, by the log's
                                                             ///< stamps
  double to_s = std::numeric_limits<double>::quiet_NaN();
  Fix fix = {};
};
using MaybeLogEvidence = std::optional<LogEvidence>;

/// What a unit of a joint's logged position is.
struct PositionUnit {
  int joint = 0;  ///< index into Robot::coordinates
  double radians = 1;
};

/// What a logged position may be instead of radians or meters: position = scale * (logged - zero).
struct PositionReading {
  const char* rule = "";  ///< of the finding
  std::string unit;       ///< in words
  double scale = 1;  ///< [rad] or [m] per unit of the log; below zero: counted against the joint's
                     ///< axis
  double zero = 0;   ///< logged where the joint is at zero
  double lowest = -std::numeric_limits<double>::infinity();  ///< that can be logged
  double highest = std::numeric_limits<double>::infinity();
  bool is_whole = false;          ///< logged as whole numbers
  bool is_inconspicuous = false;  ///< limits say nothing against radians: torques alone tell

  double position(double logged) const { return scale * (logged - zero); }
  double offset() const { return scale * zero; }  ///< log.position_offset
};

/// The reading of a joint's positions that limits, whole numbers and torques agree on.
struct FoundReading {
  PositionReading reading;
  bool is_measured = true;  ///< false: the unit is certain, its size unknown
  double log_gain = 0;  ///< fall of the log of what the file's torques leave, over all joints of
                        ///< this unit
};

struct LogFacts {
  Robot robot;
  std::vector<Channel> channels;
  CheckLogOptions options;
  std::optional<Model> model;  ///< with the robot; made from `options` on first use if it was not
                               ///< given
  RawLog raw;
  std::vector<JointLog> joints;
  /// By coordinate: where positions jumped by whole turns; they no longer do in `raw`, nor by
  /// `options`.
  std::vector<MaybeLogEvidence> wrapped;
  /// By coordinate: units of positions that are no radians or meters; `raw` and `options` have
  /// those that are measured.
  std::vector<std::optional<FoundReading>> readings;
  /// By coordinate: turns of the motor for one of the joint, where positions are the motor's; NaN:
  /// unknown.
  std::vector<std::optional<double>> motor_turns;

  /// Unit of a value of a row: "rad", "N m".
  std::string unit(int value) const;

  const Coordinate& coordinate(const JointLog& joint) const {
    return robot.coordinates[static_cast<std::size_t>(joint.joint)];
  }
};

// clock_rules.cpp
MaybeLogEvidence rows_foreign(const LogFacts&);
MaybeLogEvidence time_missing(const LogFacts&);
MaybeLogEvidence time_backwards(const LogFacts&);
MaybeLogEvidence time_repeated(const LogFacts&);
MaybeLogEvidence time_quantized(const LogFacts&);
MaybeLogEvidence time_in_milliseconds(const LogFacts&);
MaybeLogEvidence time_gap(const LogFacts&);
MaybeLogEvidence time_jitter(const LogFacts&);
MaybeLogEvidence stamps_late(const LogFacts&);
MaybeLogEvidence rate_low(const LogFacts&);
MaybeLogEvidence log_short(const LogFacts&);
MaybeLogEvidence log_cut(const LogFacts&);

// signal_rules.cpp: one column of numbers
MaybeLogEvidence value_missing(const LogFacts&, int value);
MaybeLogEvidence signal_spikes(const LogFacts&, int value);
MaybeLogEvidence signal_stuck(const LogFacts&, int value);

// wrapped_positions.cpp: sets LogFacts::wrapped
void take_turns_out(LogFacts& log);
MaybeLogEvidence position_wrapped(const LogFacts&, const JointLog&);

// position_readings.cpp: sets LogFacts::readings, by what limits, whole numbers and torques say.
// `by_torque_alone`: also units that no limit speaks against
Result<Done> find_position_readings(LogFacts& log, const Log& file, bool by_torque_alone,
                                    const Progress& progress);
/// A finding for every unit, with the joints that share it.
std::vector<Finding> readings_found(const LogFacts& log, const LogFormat& in_force,
                                    const std::string& path);

// geared_positions.cpp: sets LogFacts::motor_turns, by what the torques say
Result<Done> find_motor_turns(LogFacts& log, const Log& file, const Progress& progress);
MaybeLogEvidence position_motor_side(const LogFacts&, const JointLog&);

// joint_signal_rules.cpp: what one joint's columns say of themselves and each other
MaybeLogEvidence joints_by_number(const LogFacts&,
                                  const JointLog&);  // once a log, of its first joint
MaybeLogEvidence position_of_other_joint(const LogFacts&, const JointLog&);
MaybeLogEvidence position_in_degrees(const LogFacts&, const JointLog&);
MaybeLogEvidence position_beyond_limits(const LogFacts&, const JointLog&);
MaybeLogEvidence joint_still(const LogFacts&, const JointLog&);
MaybeLogEvidence position_quantised(const LogFacts&, const JointLog&);
MaybeLogEvidence velocity_reversed(const LogFacts&, const JointLog&);
MaybeLogEvidence velocity_in_degrees(const LogFacts&, const JointLog&);
MaybeLogEvidence velocity_of_other_joint(const LogFacts&, const JointLog&);
MaybeLogEvidence velocity_mismatch(const LogFacts&, const JointLog&);
/// Logged velocities over derivatives of the positions, median of the joints that move; nothing
/// where they are not derivatives.
std::optional<double> velocity_scale(const LogFacts&);
MaybeLogEvidence velocity_not_used(const LogFacts&,
                                   const JointLog&);  // once a log, of its first joint

// torque_signal_rules.cpp: what one joint's torque says of itself
MaybeLogEvidence torque_dead(const LogFacts&, const JointLog&);
MaybeLogEvidence torque_saturated(const LogFacts&, const JointLog&);
MaybeLogEvidence torque_beyond_effort(const LogFacts&, const JointLog&);
MaybeLogEvidence torque_jumps(const LogFacts&, const JointLog&);

/// Findings that turn on torque: reversed signs, units, motor side, swapped joints, delay, offset,
/// excitation. A log that cannot be conditioned gives a note instead. `fits`: also what least
/// squares over the whole log says.
Result<std::vector<Finding>> check_torques(const LogFacts& log, const Log& file,
                                           const std::vector<PositionUnit>& units, bool fits,
                                           const Progress& progress);

}  // namespace heft::check
