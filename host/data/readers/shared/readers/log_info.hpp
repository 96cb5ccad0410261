// What is in a log: its topics, their rates, gaps and fields, and options that would read it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/log/source.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct TopicInfo {
  std::string name;  ///< of a topic; of a table the file's
  std::string type;  ///< of messages; "table" otherwise
  std::int64_t messages = 0;
  double rate_hz = 0;       ///< messages but one over the time they span without gaps; 0: unknown
  std::int64_t gaps = 0;    ///< steps longer than ten median ones
  double resolution_s = 0;  ///< all stamps are multiples of it; 0: unknown
  std::vector<std::string> fields;  ///< columns, as log.topics and patterns name them
  std::string role;  ///< "joint_states", "position", "velocity", "torque", "wrench", "imu", or
                     ///< empty
  std::string unreadable;  ///< why its messages are not read; empty: they are
};

struct LogInfo {
  std::vector<TopicInfo> topics;
  std::vector<std::string> losses;  ///< what of files that break off is not read, in words
  std::string stamp;   ///< clock that rows would be read by: header, publish, log; empty of a table
  std::string device;  ///< that the columns are of; empty: none is recognized
  double device_confidence = 0;  ///< 0 .. 1
  std::string torque_is;  ///< what the device's torques are, as log.torque_is; empty: unknown
  std::string yaml;       ///< a configuration that reads the log; empty: nothing is recognized
};

/// Reads the whole log. Errors: those of the log.
Result<LogInfo> log_info(const std::string& words, const LogFormat& format);

}  // namespace heft
#pragma GCC visibility pop
