// A fleet judged before any work: what heft check says of all robot files and logs, and what speaks
// against rows. Threads: one call at a time on one object; it makes threads of its own.
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

struct FleetCheckOptions {
  int jobs = 0;            ///< 0: one per hardware thread
  bool rows_only = false;  ///< no file is opened
  std::function<Result<Configuration>(const std::string& path)> configuration_of;
  Progress progress;
};

/// What was found in one file, and of which robots it is.
struct FleetFinding {
  std::vector<std::string> robot_ids;
  Finding finding;
};

struct FleetCheck {
  std::vector<FleetFinding> findings;  ///< errors first, then by robot
  int num_errors = 0, num_warnings = 0;
  std::string text;  ///< for the terminal
};

/// Every file is looked at once per robot file and configuration that it is used with. Notes are
/// left out. Errors: stopped().
Result<FleetCheck> check_fleet(const FleetPlan& plan, const FleetCheckOptions& options);

/// {"schema": "heft-fleet-check-1", "findings": [{robot_ids, name, severity, where, what,
/// remedy}]}; whole or not at all.
Result<Done> write_fleet_check(const FleetCheck& check, const std::string& path);

}  // namespace heft
#pragma GCC visibility pop
