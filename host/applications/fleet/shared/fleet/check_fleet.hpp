// Checks a fleet before any work: runs heft check on all robot files and logs, and reports faulty
// rows of the manifest. Threads: one call at a time on one object; calls create their own threads.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fleet/plan.hpp"
#include "heft/base/result.hpp"
#include "heft/check/check.hpp"
#include "heft/config/configuration.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// How far a fleet is checked, and on how many threads.
struct FleetCheckOptions {
  int jobs = 0;            ///< 0: one per hardware thread
  bool rows_only = false;  ///< opens no file
  std::function<Result<Configuration>(const std::string& path)> configuration_of;
  Progress progress;
};

/// A finding about one file, and the robots that use it.
struct FleetFinding {
  std::vector<std::string> robot_ids;
  Finding finding;
};

/// All findings about a fleet.
struct FleetCheck {
  std::vector<FleetFinding> findings;  ///< errors first, then by robot
  int num_errors = 0, num_warnings = 0;
  std::string text;  ///< for the terminal
};

/// Checks every file once per robot file and configuration with which it is used. Omits notes.
/// Errors: stopped().
Result<FleetCheck> check_fleet(const FleetPlan& plan, const FleetCheckOptions& options);

/// Writes {"schema": "heft-fleet-check-1", "findings": [{robot_ids, name, severity, where, what,
/// remedy}]}, completely or not at all.
Result<Done> write_fleet_check(const FleetCheck& check, const std::string& path);

}  // namespace heft
#pragma GCC visibility pop
