// What the columns of a log may be, by their names, and the configuration that says so: for people
// to look over, and never used unasked.
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

enum class ColumnRole { other, time, nanoseconds, position, velocity, acceleration, torque };

struct ColumnGuess {
  ColumnRole role = ColumnRole::other;
  int joint = -1;         ///< coordinate of the robot, of the last four roles
  std::string unit = {};  ///< that the name says: "deg", "ms", "Nmm"; empty: none
};

/// One a column.
using ColumnGuesses = std::vector<ColumnGuess>;

/// Whether a name holds {joint}, {i}, {i+7} or {i-1}, in whose place configurations put joints:
/// they cannot name such a column.
bool is_pattern(const std::string& name);

/// The quantity that a name says by itself, without the names beside it: "position_3",
/// "actual_qd_0"; never a time.
ColumnRole role_of(const std::string& name);

/// A name without its last number, and that number: "joint#position" and 3.
std::pair<std::string, std::optional<int>> stem_and_number(const std::string& name);

/// Whether a name is that of a number of rows, frames or messages, which is no clock: "index",
/// "header.seq", "Unnamed: 0".
bool counts_rows(const std::string& name);

/// Columns of seconds, each with that of the nanoseconds of the same stamp: header.stamp.secs,
/// header.stamp.nsecs.
std::vector<std::pair<std::size_t, std::size_t>> stamp_pairs(const std::vector<std::string>& names);

/// By names alone: at most one column of time, and one of every joint of a role; of several that
/// may be meant those that are measured.
ColumnGuesses guess_columns(const std::vector<std::string>& names, const Robot& robot);

/// Whether every joint has a column of this role.
bool has_all(const ColumnGuesses& guesses, ColumnRole role, const Robot& robot);

/// The section `log:` for columns of these names, each line after `indent`. Roles that not every
/// joint has are left out. `header`: false if the columns are named by their numbers.
std::string log_section(const std::vector<std::string>& names, const ColumnGuesses& guesses,
                        const Robot& robot, bool header = true, const std::string& indent = "");

/// For an error about a column that is missing: every column with a guess, and the YAML to paste;
/// begins with a line feed.
std::string guess_words(const ColumnGroup& table, const Robot& robot);

}  // namespace heft
#pragma GCC visibility pop
