// A log as a row of a manifest describes it: in the given format, restricted to the rows between
// two stamps, the clocks of its files matched.
#pragma once

#include <vector>

#include "fleet/manifest.hpp"
#include "robot_setup.hpp"
#include "setup/match_clocks.hpp"

namespace heft {

/// Errors: those of match_clocks. Errors of opening: those of open_log; a file in another format
/// than the row states. Error of reading: no row between start_s and end_s.
Result<Log> windowed_log(const FleetRow& row, const RobotSetup& robot);

/// Returns the same of every row, with the clocks of logs in several files.
Result<MatchedLogs> windowed_logs(const std::vector<FleetRow>& rows, const RobotSetup& robot);

}  // namespace heft
