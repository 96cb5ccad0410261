// Matches the clocks of the files of one recording: motion.csv+torque.csv, each with stamps of its
// own clock.
#pragma once

#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/log/log.hpp"
#include "heft/log/several_files.hpp"
#include "heft/model/robot.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Logs with matched clocks, and the clocks that differ from that of the first file.
struct MatchedLogs {
  std::vector<Log> logs;
  std::vector<ClockMatch> clocks;
};

/// Estimates offset and rate of the clocks in logs of several files: torques follow from the motion
/// by the equations of the robot with any parameters, at the right clock only. Files whose stamps
/// agree with the motion to 0.5 ms, or to four standard deviations, keep their stamps; so do files
/// without torques, and logs of one file. Errors: files without a common time whose motion does not
/// show their clocks. Errors in reading the files are left to those who read the logs.
Result<MatchedLogs> match_clocks(std::vector<Log> logs, const Robot& robot,
                                 const std::vector<Channel>& channels, const LogFormat& format,
                                 const ConditioningOptions& conditioning);

}  // namespace heft
#pragma GCC visibility pop
