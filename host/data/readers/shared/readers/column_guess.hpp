// Guesses the meaning of log columns from their names and writes the corresponding configuration,
// for review by the user; never used without a request.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/log/source.hpp"
#include "heft/model/robot.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Meaning of a column.
enum class ColumnRole { other, time, nanoseconds, position, velocity, acceleration, torque };

/// The guessed meaning of one column.
struct ColumnGuess {
  ColumnRole role = ColumnRole::other;
  int joint = -1;         ///< coordinate of the robot, for the last four roles
  std::string unit = {};  ///< unit contained in the name: "deg", "ms", "Nmm"; otherwise empty
};

/// One guess per column.
using ColumnGuesses = std::vector<ColumnGuess>;

/// Returns whether a name contains {joint}, {i}, {i+7} or {i-1}, which configurations replace by
/// joints, so that they cannot name such a column.
bool is_pattern(const std::string& name);

/// Returns the quantity that a name alone indicates: "position_3", "actual_qd_0"; never a time.
ColumnRole role_of(const std::string& name);

/// Splits off the last number of a name: "joint#position" and 3.
std::pair<std::string, std::optional<int>> stem_and_number(const std::string& name);

/// Returns whether a name is that of a counter of rows, frames or messages, which is not a clock:
/// "index", "header.seq", "Unnamed: 0".
bool counts_rows(const std::string& name);

/// Returns pairs of columns with the seconds and nanoseconds of the same stamp: header.stamp.secs,
/// header.stamp.nsecs.
std::vector<std::pair<std::size_t, std::size_t>> stamp_pairs(const std::vector<std::string>& names);

/// Guesses from names alone: at most one time column, and one column per joint and role; prefers
/// measured quantities.
ColumnGuesses guess_columns(const std::vector<std::string>& names, const Robot& robot);

/// Returns whether every joint has a column of this role.
bool has_all(const ColumnGuesses& guesses, ColumnRole role, const Robot& robot);

/// Returns the joints that have neither positions nor torques in a log that has both for most
/// others, such as those of a gripper; empty if the names do not show it.
std::vector<std::string> joints_without_columns(const std::vector<std::string>& names,
                                                const Robot& robot);

/// Returns pairs of a position and a torque whose names differ only by the quantity and belong to
/// no joint of the robot, such as q_elbow and tau_elbow: a joint with another name in the robot
/// file, or one that the file lacks.
std::vector<std::pair<std::string, std::string>> columns_of_other_joints(
    const std::vector<std::string>& names, const Robot& robot);

/// Returns the section `log:` for columns with these names, each line after `indent`. Omits roles
/// that not every joint has. `header`: false if the columns are named by their numbers.
std::string log_section(const std::vector<std::string>& names, const ColumnGuesses& guesses,
                        const Robot& robot, bool header = true, const std::string& indent = "");

/// Returns text for an error about a missing column: every column with its guess, and the YAML to
/// paste; begins with a line feed.
std::string guess_words(const ColumnGroup& table, const Robot& robot);

}  // namespace heft
#pragma GCC visibility pop
