// A log as input of the rules: every row as in the file and, if it can be conditioned, the
// conditioned samples with the torque predicted by the URDF.
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

/// Rows of the file in file order, without foreign rows; in SI units according to the
/// configuration.
struct RawLog {
  std::vector<std::string> header;
  LogColumns columns;
  bool has_velocity = false;
  Eigen::ArrayXd time;             ///< [s]; NaN where missing
  Eigen::ArrayXXd values;          ///< rows x LogColumns::num_values; NaN where missing
  std::vector<std::int64_t> line;  ///< line in the file, per row
  double median_step = 0;          ///< [s], of increasing steps
  ClockReport clock;               ///< resolution of the stamps
  bool is_cut = false;             ///< the file has more rows than were read
  ForeignRows foreign;             ///< rows of the file that are not included

  /// Per row: its place in time between its neighbors, 0.5 in the middle; NaN beside a pause, a
  /// step back or a missing stamp, and for the first and last row.
  Eigen::ArrayXd place_between;

  Eigen::Index num_rows() const { return time.size(); }
  auto position(int joint) const { return values.col(columns.first_position + joint); }
  auto velocity(int joint) const { return values.col(columns.first_velocity + joint); }
  bool has_torque(int channel) const {
    return columns.torque[static_cast<std::size_t>(channel)] >= 0;
  }
  auto torque(int channel) const {
    return values.col(columns.torque[static_cast<std::size_t>(channel)]);
  }
  /// Returns the header name of a value of a row.
  const std::string& name(int value) const {
    return header[static_cast<std::size_t>(columns.values[static_cast<std::size_t>(value)].column)];
  }
};

/// Maximum number of values of a log in memory: 256 MB, an hour of a seven-joint arm at 500 Hz.
inline constexpr std::size_t kMaxNumbers = std::size_t{1} << 25;

/// Reads rows up to a total of `most_numbers`.
Result<RawLog> read_raw_log(const Log& file, const Robot& robot,
                            const std::vector<Channel>& channels, const CheckLogOptions& options,
                            std::size_t most_numbers = kMaxNumbers, const Progress& progress = {});

/// A joint with its position and torque, as input of rules.
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
  std::int64_t line = 1;  ///< line in the file; 1: the header, for faults that concern no single
                          ///< row
  double rows_share = 0;  ///< affected fraction of the log's rows, if only some are
  double from_s = std::numeric_limits<double>::quiet_NaN();  ///< start of the affected stretch, by
                                                             ///< the log's stamps
  double to_s = std::numeric_limits<double>::quiet_NaN();
  Fix fix = {};
  bool is_excludable = false;  ///< the rows of the stretch are of no use: log.exclude is a remedy
};
using MaybeLogEvidence = std::optional<LogEvidence>;

/// Unit of a joint's logged position.
struct PositionUnit {
  int joint = 0;  ///< index into Robot::coordinates
  double radians = 1;
};

/// Possible interpretation of a logged position other than radians or meters: position = scale *
/// (logged - zero).
struct PositionReading {
  const char* rule = "";  ///< of the finding
  std::string unit;       ///< as text
  double scale = 1;       ///< [rad] or [m] per unit of the log; negative: reversed axis
  double zero = 0;        ///< logged value at joint position zero
  double lowest = -std::numeric_limits<double>::infinity();  ///< smallest value that can be logged
  double highest = std::numeric_limits<double>::infinity();
  bool is_whole = false;          ///< logged as integers
  bool is_inconspicuous = false;  ///< consistent with radians by the limits: only torques can tell

  double position(double logged) const { return scale * (logged - zero); }
  double offset() const { return scale * zero; }  ///< log.position_offset
};

/// Interpretation of a joint's positions on which limits, integers and torques agree.
struct FoundReading {
  PositionReading reading;
  bool is_measured = true;  ///< false: the unit is certain, its scale unknown
  double log_gain = 0;  ///< decrease of the log residual with the URDF's torques, over all joints
                        ///< of this unit
};

struct LogFacts {
  Robot robot;
  std::vector<Channel> channels;
  CheckLogOptions options;
  std::optional<Model> model;  ///< of the robot; made from `options` on first use unless given
  RawLog raw;
  std::vector<JointLog> joints;
  /// By coordinate: where positions jumped by whole turns. `raw` and `options` are already
  /// corrected.
  std::vector<MaybeLogEvidence> wrapped;
  /// By coordinate: units of positions other than radians or meters; `raw` and `options` use those
  /// with known scale.
  std::vector<std::optional<FoundReading>> readings;
  /// By coordinate: motor turns per joint turn if positions are the motor's; NaN: unknown.
  std::vector<std::optional<double>> motor_turns;

  /// Returns the unit of a value of a row: "rad", "N m".
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

// signal_rules.cpp: rules about one column
MaybeLogEvidence value_missing(const LogFacts&, int value);
MaybeLogEvidence signal_spikes(const LogFacts&, int value);
MaybeLogEvidence signal_stuck(const LogFacts&, int value);

// wrapped_positions.cpp: sets LogFacts::wrapped
void take_turns_out(LogFacts& log);
MaybeLogEvidence position_wrapped(const LogFacts&, const JointLog&);

// position_readings.cpp: sets LogFacts::readings from limits, integers and torques.
// `by_torque_alone`: includes units that the limits do not contradict
Result<Done> find_position_readings(LogFacts& log, const Log& file, bool by_torque_alone,
                                    const Progress& progress);
/// Returns one finding per unit, with the joints that share it.
std::vector<Finding> readings_found(const LogFacts& log, const LogFormat& in_force,
                                    const std::string& path);

// geared_positions.cpp: sets LogFacts::motor_turns from the torques
Result<Done> find_motor_turns(LogFacts& log, const Log& file, const Progress& progress);
MaybeLogEvidence position_motor_side(const LogFacts&, const JointLog&);

// joint_signal_rules.cpp: rules about the columns of one joint
MaybeLogEvidence joints_by_number(const LogFacts&,
                                  const JointLog&);  // once per log, for its first joint
MaybeLogEvidence position_of_other_joint(const LogFacts&, const JointLog&);
/// Returns whether a joint's positions, read as radians, are degrees according to the limits.
bool is_in_degrees(const LogFacts&, const JointLog&);
MaybeLogEvidence position_in_degrees(const LogFacts&, const JointLog&);
MaybeLogEvidence position_beyond_limits(const LogFacts&, const JointLog&);
MaybeLogEvidence joint_still(const LogFacts&, const JointLog&);
MaybeLogEvidence position_quantized(const LogFacts&, const JointLog&);
MaybeLogEvidence velocity_reversed(const LogFacts&, const JointLog&);
MaybeLogEvidence velocity_in_degrees(const LogFacts&, const JointLog&);
MaybeLogEvidence velocity_of_other_joint(const LogFacts&, const JointLog&);
MaybeLogEvidence velocity_mismatch(const LogFacts&, const JointLog&);
/// Returns the ratio of logged velocities to derivatives of the positions, median over the moving
/// joints; empty if they are not derivatives.
std::optional<double> velocity_scale(const LogFacts&);
MaybeLogEvidence velocity_not_used(const LogFacts&,
                                   const JointLog&);  // once per log, for its first joint

// acceleration_rules.cpp: of a log with accelerations
MaybeLogEvidence acceleration_mismatch(const LogFacts&, const JointLog&);

// torque_signal_rules.cpp: rules about the torque of one joint
MaybeLogEvidence torque_dead(const LogFacts&, const JointLog&);
MaybeLogEvidence torque_copied(const LogFacts&, const JointLog&);
MaybeLogEvidence torque_saturated(const LogFacts&, const JointLog&);
MaybeLogEvidence torque_beyond_effort(const LogFacts&, const JointLog&);
MaybeLogEvidence torque_jumps(const LogFacts&, const JointLog&);

/// Returns findings based on torque: reversed signs, units, motor side, swapped joints, delay,
/// offset, excitation; a note if the log cannot be conditioned. `fits`: includes findings from
/// least squares over the whole log.
Result<std::vector<Finding>> check_torques(const LogFacts& log, const Log& file,
                                           const std::vector<PositionUnit>& units, bool fits,
                                           const Progress& progress);

}  // namespace heft::check
