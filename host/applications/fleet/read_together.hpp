// Reads the logs of a robot and has a device condition them before any other work on the robot, so
// that a robot waits for the device once, while it holds nothing but rows.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heft/log/log.hpp"
#include "robot_setup.hpp"
#include "shared_conditioner.hpp"
#include "training/sample_source.hpp"

namespace heft {

/// Largest size of a robot's log files that are read together [bytes].
inline constexpr double kMaxTogether = 4e6;
/// Largest size of their rows and samples in memory: rows, those on their way to the device, and
/// samples [MB].
inline constexpr double kTogether_mb = 16;

/// A log with its rows and its samples in memory.
struct LogInMemory {
  Log log;
  ConditionedLog samples;
};

/// Logs by the rows of the manifest that name them.
class LogsInMemory {
 public:
  void put(const FleetRow& row, LogInMemory log) {
    logs_.insert_or_assign(name_of(row), std::move(log));
  }
  /// Moves the log of a row out; empty without it.
  std::optional<LogInMemory> take(const FleetRow& row);
  bool has(const FleetRow& row) const { return logs_.contains(name_of(row)); }
  bool empty() const { return logs_.empty(); }

 private:
  static std::string name_of(const FleetRow& row);

  std::map<std::string, LogInMemory> logs_;
};

/// Returns the logs of these rows that `device` conditions. Missing are those that the host has to
/// condition and those with a fault, which is reported when they are read again; all if their
/// samples take more than kMaxKept, the device fails or the run is stopped.
LogsInMemory read_together(const std::vector<FleetRow>& rows, const RobotSetup& robot,
                           RobotConditioner& device, const Progress& progress);

}  // namespace heft
