// Assigns the columns of a log: resolves LogFormat's patterns for a header, a robot and its
// channels.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/log/log.hpp"
#include "heft/model/robot.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Columns of a log in SI units. A row is one array of numbers: position, velocity, acceleration
/// and base motion, then the log columns that expressions use, then the measured torques. A member
/// first_<group> is the index of the group's first number in that array, or -1 if it is not logged.
struct LogColumns {
  struct Value {
    int column;         ///< in the header
    double scale;       ///< SI units per unit of the log
    double offset = 0;  ///< in SI units, subtracted after scaling
  };
  int time_column = 0;  ///< in the header
  std::vector<Value> values;

  int first_position = 0;
  int first_velocity = -1;  ///< also -1 if velocity is computed from position
  int first_acceleration = -1;
  int first_base_angular_velocity = -1;  ///< three numbers in base axes, like the next two
  int first_base_specific_force = -1;
  int first_base_angular_acceleration = -1;
  int first_base_position = -1;    ///< of BaseSource::frame in the world, three numbers
  int first_base_quaternion = -1;  ///< of the same frame: x, y, z, w
  int first_extra = 0;             ///< log columns by name, for expressions, in their own units
  int num_extra = 0;
  int first_torque = 0;     ///< torques are the numbers from here on
  std::vector<int> torque;  ///< per channel; -1: not in the log

  int num_values() const { return static_cast<int>(values.size()); }
  int num_torques() const { return num_values() - first_torque; }
};

/// The columns of the header that are read, each once, even if it is used both as a torque and in
/// an expression.
class SelectedColumns {
 public:
  explicit SelectedColumns(const LogColumns& log) : columns_{log.time_column} {
    for (const LogColumns::Value& value : log.values) columns_.push_back(value.column);
    std::sort(columns_.begin(), columns_.end());
    columns_.erase(std::unique(columns_.begin(), columns_.end()), columns_.end());
  }

  /// Returns the argument of Source::select.
  const std::vector<int>& list() const { return columns_; }
  /// Returns the index of a header column among the selected ones.
  std::size_t slot(int column) const {
    return static_cast<std::size_t>(std::lower_bound(columns_.begin(), columns_.end(), column) -
                                    columns_.begin());
  }

 private:
  std::vector<int> columns_;
};

/// Finds the columns. `extra` are columns that expressions use; `where` is the place of the column
/// names; `base_is_free` as in DerivedSignals. Error: a required column or the clock is missing,
/// with near misses; options of the base that do not fit together.
Result<LogColumns> find_log_columns(const ColumnGroup& table, const Robot& robot,
                                    const std::vector<Channel>& channels, const LogFormat& format,
                                    const ConditioningOptions& options,
                                    const std::vector<int>& extra, const std::string& where,
                                    bool base_is_free = false);

}  // namespace heft
#pragma GCC visibility pop
