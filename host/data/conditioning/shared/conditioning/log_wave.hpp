// Conditions many logs in one launch sequence of a device: reads the rows of every log, sends the
// segments of all of them, and hands on the samples of each as condition_log does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "heft/log/log.hpp"

#pragma GCC visibility push(default)
namespace heft {

class DeviceConditioner;  // rows/device_conditioner.hpp

/// Logs that a device conditions together. One thread at a time.
class LogWave {
 public:
  explicit LogWave(DeviceConditioner& device);
  ~LogWave();
  LogWave(const LogWave&) = delete;
  LogWave& operator=(const LogWave&) = delete;

  /// Reads the rows of a log, which gets the next index. What `reading` refers to must outlive the
  /// wave. A log that only the host can condition is not read to its end.
  void add(const Log& log, const LogReading& reading, const HearFraction& progress = {});
  /// Returns whether another log should be added to the next wave: this one has enough rows.
  bool is_full() const;
  std::size_t size() const { return logs_.size(); }

  /// Conditions all logs. Error: the device fails.
  Result<Done> condition();

  /// Returns why the host has to condition log k; empty if the device has.
  const std::string& why_on_host(std::size_t k) const;

  /// Passes the samples of log k to `sink` and releases them. Blocks are those of condition_log, of
  /// equal lengths, and numbers that differ in their last digits; so are summary and errors.
  Result<LogSummary> hand_on(std::size_t k, const BlockSink& sink);

  /// Returns the CPU time of the calling threads in add() and hand_on() [s], without sinks and the
  /// threads that read ahead.
  double host_cpu_s() const { return host_cpu_s_; }

 private:
  struct Entry;

  DeviceConditioner& device_;
  std::vector<std::unique_ptr<Entry>> logs_;
  std::int64_t num_bytes_ = 0;  ///< of samples to come, or of rows if these are more
  double host_cpu_s_ = 0;
};

}  // namespace heft
#pragma GCC visibility pop
