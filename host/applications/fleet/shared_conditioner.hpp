// A device that conditions the logs of many robots together. Workers of a fleet run that have read
// a log meet here: the last of them, or the one that fills the memory, sends the segments of all to
// the device and hands the samples back.
//
// More workers than cores read logs, and only as many as there are cores work: a worker that has
// little in memory gives its core back while it waits. One that holds the sums of a robot keeps it,
// so that memory is that of as many robots as there are cores. What a segment becomes does not
// depend on the others (device_conditioner.hpp), so neither samples nor results depend on the
// number of workers or on who meets whom.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "fleet/run.hpp"
#include "heft/identify/estimate.hpp"
#include "rows/device_conditioner.hpp"
#include "training/sample_source.hpp"
#include "work_pool.hpp"

namespace heft {

/// Why a fleet conditions logs on a device (backend_of()).
inline constexpr const char* kDeviceIsRequested = "backend: cuda is requested";

/// Threads: safe to call from several threads.
class SharedConditioner final : public WorkerGate {
 public:
  static constexpr std::int64_t kMaxBytes = 256'000'000;

  /// At most `num_cores` workers work at a time. A wave has at most `max_bytes` of rows, or one
  /// log.
  SharedConditioner(std::shared_ptr<DeviceConditioner> device, int num_cores,
                    std::int64_t max_bytes = kMaxBytes);

  void expect(int num_workers) override;
  void enter() override;
  void leave() override;

  /// Segments of one caller, and the launch sequence that conditioned them with those of others.
  struct Wave {
    std::vector<ConditionedSegment> segments;
    DeviceWork work;
    std::int64_t num_robots = 0;
  };
  /// Waits until no worker can go on or the waiting rows fill a wave; callers that are no workers
  /// wait only for a wave in progress. `robot` distinguishes robots; `keeps_core`: whether no other
  /// worker may use the core of this one meanwhile. Error: the device fails, or has failed before.
  Result<Wave> condition(std::span<const RawSegment> segments, std::size_t robot,
                         bool keeps_core = false);

  const DeviceConditioner& device() const { return *device_; }
  /// Returns the error of the device, if it has failed.
  std::optional<Error> failure() const;

  /// Counts logs of a robot.
  void count(std::size_t robot, const ConditionedOnDevice& logs);
  /// Returns all work so far.
  FleetWaves report() const;

 private:
  struct Request;

  bool may_lead() const;
  /// Conditions the requests that fit into a wave.
  void lead(std::unique_lock<std::mutex>& lock);
  /// Counts a worker of the waiting ones as served.
  void serve(const Request& request);
  void take_core(std::unique_lock<std::mutex>& lock);
  void free_core();

  std::shared_ptr<DeviceConditioner> device_;
  std::int64_t max_bytes_;
  mutable std::mutex mutex_;
  std::condition_variable changed_, core_is_free_;
  int free_cores_;
  std::int64_t num_workers_ = 0;
  std::int64_t num_running_ = 0;          ///< workers with a core that do not wait for a wave
  std::int64_t num_waiting_workers_ = 0;  ///< for a wave; all others wait for a core
  std::deque<Request*> waiting_;
  std::int64_t waiting_bytes_ = 0;
  bool is_running_ = false;
  std::optional<Error> failure_;

  mutable std::mutex counts_mutex_;
  std::set<std::size_t> robots_;
  FleetWaves counts_;
};

/// The shared device as one robot sees it, with the work for this robot's logs. One thread at a
/// time.
class RobotConditioner final : public DeviceConditioner {
 public:
  RobotConditioner(SharedConditioner& shared, std::size_t robot) : shared_(shared), robot_(robot) {}

  std::string description() const override { return shared_.device().description(); }
  bool takes(const RawSegment& segment) const override { return shared_.device().takes(segment); }
  Result<std::vector<ConditionedSegment>> condition(std::span<const RawSegment> segments) override;
  /// Returns the work of all waves with segments of this robot.
  DeviceWork work() const override { return work_; }

  /// Lets other workers use the core of this one while it waits the next time: it holds little
  /// memory until then.
  void lend_core_once() { lends_core_ = true; }
  void keep_core() { lends_core_ = false; }

  /// Counts logs whose source used this device.
  void count(const ConditionedOnDevice& logs);
  /// Counts the logs of the robot's answer, and adds to their report the logs counted before and
  /// the robots that shared the waves.
  void complete(WaveReport& report) const;

 private:
  SharedConditioner& shared_;
  std::size_t robot_;
  bool lends_core_ = false;
  DeviceWork work_;
  std::int64_t num_robots_ = 1;  ///< in the wave with the most
  ConditionedOnDevice logs_;
};

}  // namespace heft
