// The contents of a log: its topics with rates, gaps and fields, and options that read it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/log/source.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// One topic, or one table.
struct TopicInfo {
  std::string name;  ///< of a topic; for a table, the file's name
  std::string type;  ///< of messages; otherwise "table"
  std::int64_t messages = 0;
  double rate_hz = 0;           ///< (messages - 1) over their time span without gaps; 0: unknown
  std::int64_t gaps = 0;        ///< number of steps longer than ten median steps
  std::int64_t steps_back = 0;  ///< number of stamps before the one of the previous message
  double resolution_s = 0;      ///< all stamps are multiples of it; 0: unknown
  std::vector<std::string> fields;  ///< columns, named as in log.topics and patterns
  std::string role;  ///< "joint_states", "position", "velocity", "torque", "wrench", "imu", or
                     ///< empty
  std::string unreadable;  ///< why its messages cannot be read; empty: they can
};

/// The contents of a log.
struct LogInfo {
  std::vector<TopicInfo> topics;
  std::vector<std::string> losses;  ///< unreadable parts of truncated files, in words
  std::string stamp;             ///< clock used for rows: header, publish, log; empty for a table
  std::string device;            ///< device that the columns belong to; empty: not recognized
  double device_confidence = 0;  ///< 0 .. 1
  std::string torque_is;  ///< quantity of the device's torques, as log.torque_is; empty: unknown
  std::string yaml;       ///< a configuration that reads the log; empty: nothing was recognized
};

/// Reads the whole log and describes it. Errors: those of the log.
Result<LogInfo> log_info(const std::string& words, const LogFormat& format);

}  // namespace heft
#pragma GCC visibility pop
