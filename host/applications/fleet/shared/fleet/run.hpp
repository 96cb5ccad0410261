// Identifies a fleet on this machine: logs become leaves of a store, leaves become sums, and sums
// become results. Completed pieces remain valid after a crash; a later or concurrent run continues
// from them.
//
//   manifest -> plan -> map (log -> leaf) -> reduce (leaves -> trie of sums) -> solve and validate
//   -> results/, fleet.json
//
// Threads: one call at a time on one object; calls create their own threads. Any number of
// processes may share a store.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fleet/plan.hpp"
#include "heft/base/result.hpp"
#include "heft/config/configuration.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Every count-th piece of work, starting with index, which counts from 0.
struct FleetShard {
  int index = 0, count = 1;
  bool takes(std::size_t place) const {
    return static_cast<int>(place % static_cast<std::size_t>(count)) == index;
  }
};

/// Store, limits and rules of a fleet run.
struct FleetOptions {
  std::string store;     ///< folder
  int jobs = 0;          ///< robots and logs processed concurrently; 0: one per hardware thread
  double memory_mb = 0;  ///< limits concurrency by memory; 0: no limit
  double time_s = 0;     ///< stops like a signal after this time; 0: no limit
  FleetShard shard;
  bool writes_pages = true;           ///< a report.html per robot
  std::vector<std::string> accepted;  ///< ids of accepted doubts
  std::string gate;                   ///< path of rules that promote or hold robots; may be empty
  /// Returns the configuration for the file named in the rows of a robot; empty path: no file.
  std::function<Result<Configuration>(const std::string& path)> configuration_of;
  Progress progress;
};

/// State of a robot's result.
enum class RobotState { done, failed, missing };

template <>
struct EnumNames<RobotState> {
  static constexpr EnumName<RobotState> kList[] = {
      {RobotState::done, "done"}, {RobotState::failed, "failed"}, {RobotState::missing, "missing"}};
};

/// The contents of the store for one robot.
struct RobotOutcome {
  RobotState state = RobotState::missing;
  std::vector<Error> errors;
  std::vector<std::string> notes;
  std::vector<std::string> open_doubts;  ///< words of serious doubts that are not accepted
  bool certified = false;
};

/// Logs that a device conditioned during a run, many robots' in a launch sequence.
struct FleetWaves {
  std::int64_t num_robots = 0;
  std::int64_t num_logs = 0;  ///< each time that they were read
  std::int64_t bytes_up = 0, bytes_down = 0, launches = 0;
  double host_cpu_s = 0, device_s = 0;          ///< as in WaveReport
  std::map<std::string, std::int64_t> on_host;  ///< numbers of other logs, by why the host
                                                ///< conditioned them
  std::string chosen_because;                   ///< why a device was used or not
};

/// The contents of the store for all robots, and the work of a stage.
struct FleetOutcome {
  std::vector<RobotOutcome> robots;  ///< in the order of the plan
  int num_leaves_made = 0, num_answers_made = 0;
  std::vector<std::string> unmapped;  ///< ids of robots that reduce or solve skipped, because some
                                      ///< of their logs are not mapped yet
  bool is_stopped = false;            ///< by a signal or the time budget
  std::optional<FleetWaves> waves;    ///< if there is a CUDA driver

  int count(RobotState state) const;
};

/// Estimated work of a run.
struct FleetForecast {
  std::size_t num_robots = 0, num_failing = 0, num_training = 0, num_validation = 0;
  std::size_t num_unknown = 0;  ///< logs whose digest the store does not know yet, which must be
                                ///< read again
  std::size_t num_leaves = 0, num_answers = 0;     ///< number to make
  double num_bytes = 0;                            ///< size of the logs to map
  double seconds = 0, memory_mb = 0, disk_mb = 0;  ///< estimates
  int jobs = 1;
};

/// How a store is opened.
enum class StoreUse {
  make,      ///< for writing; created if missing
  existing,  ///< must exist
  look,      ///< read only; a missing store counts as empty
};

/// A fleet with its store.
class FleetRun {
 public:
  /// Opens the store. Errors: those of the store; invalid options.
  static Result<FleetRun> open(FleetPlan plan, FleetOptions options, StoreUse use = StoreUse::make);
  FleetRun(FleetRun&&) noexcept;
  ~FleetRun();

  const FleetPlan& plan() const;

  // stages; failures of robots are in the outcome; error: a store that cannot be written
  Result<FleetOutcome> map();     ///< makes the leaves of the shard's logs
  Result<FleetOutcome> reduce();  ///< makes the sums of the shard's robots with more than 48 logs
                                  ///< or a population prior; their leaves must exist
  Result<FleetOutcome> population();  ///< makes the priors of the shard's models whose robots
                                      ///< request a population prior, from the sums of all of them
  Result<FleetOutcome> solve();  ///< makes the results of the shard's robots, whose leaves must
                                 ///< exist; then report()
  Result<FleetOutcome> run();    ///< runs all stages; then report()

  /// Writes fleet.json, fleet.csv and fleet.html for all robots of the plan, from the current
  /// contents of the store.
  Result<FleetOutcome> report();

  /// Returns what is done and what is missing, from the store alone; reads no logs and writes
  /// nothing. Error: the device that results depend on does not respond.
  Result<FleetOutcome> status();

  /// Estimates the work of a run without reading logs.
  Result<FleetForecast> forecast();

  /// Returns the files of the store that the plan does not need. Error: logs that the store does
  /// not know.
  Result<std::vector<std::string>> garbage();

 private:
  struct State;
  explicit FleetRun(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace heft
#pragma GCC visibility pop
