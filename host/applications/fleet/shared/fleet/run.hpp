// A fleet identified on this machine: logs become leaves of a store, leaves sums, sums answers.
// What is finished stays finished, whatever happens to the process; a later or concurrent run
// continues from there.
//
//   manifest -> plan -> map (log -> leaf) -> reduce (leaves -> trie of sums) -> solve and validate
//   -> results/, fleet.json
// Threads: one call at a time on one object; it makes threads of its own. Any number of processes
// may share a store.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fleet/plan.hpp"
#include "heft/base/result.hpp"
#include "heft/config/configuration.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Every count-th piece of work from index on; index counts from 0.
struct FleetShard {
  int index = 0, count = 1;
  bool takes(std::size_t place) const {
    return static_cast<int>(place % static_cast<std::size_t>(count)) == index;
  }
};

struct FleetOptions {
  std::string store;     ///< folder
  int jobs = 0;          ///< robots and logs worked on at a time; 0: one per hardware thread
  double memory_mb = 0;  ///< fewer at a time where they would need more; 0: not bounded
  double time_s = 0;     ///< ends as if a signal had come; 0: not bounded
  FleetShard shard;
  bool writes_pages = true;           ///< a report.html per robot
  std::vector<std::string> accepted;  ///< ids of doubts
  std::string gate;  ///< path of rules by which robots are promoted or held; may be empty
  /// Of a robot whose rows name that file, or none (empty).
  std::function<Result<Configuration>(const std::string& path)> configuration_of;
  Progress progress;
};

enum class RobotState { done, failed, missing };

template <>
struct EnumNames<RobotState> {
  static constexpr EnumName<RobotState> kList[] = {
      {RobotState::done, "done"}, {RobotState::failed, "failed"}, {RobotState::missing, "missing"}};
};

struct RobotOutcome {
  RobotState state = RobotState::missing;
  std::vector<Error> errors;
  std::vector<std::string> notes;
  std::vector<std::string> open_doubts;  ///< "words" of those that are serious and not accepted
  bool certified = false;
};

struct FleetOutcome {
  std::vector<RobotOutcome> robots;  ///< as in the plan
  int num_leaves_made = 0, num_answers_made = 0;
  std::vector<std::string> unmapped;  ///< ids of robots that reduce or solve left, for logs of
                                      ///< theirs are not mapped yet
  bool is_stopped = false;            ///< by a signal or the time budget

  int count(RobotState state) const;
};

/// What a run would do.
struct FleetForecast {
  std::size_t num_robots = 0, num_failing = 0, num_training = 0, num_validation = 0;
  std::size_t num_unknown = 0;  ///< logs whose bytes the store does not know yet: they are read
                                ///< once more
  std::size_t num_leaves = 0, num_answers = 0;     ///< to make
  double num_bytes = 0;                            ///< of logs to map
  double seconds = 0, memory_mb = 0, disk_mb = 0;  ///< about
  int jobs = 1;
};

/// What a store is opened for.
enum class StoreUse {
  make,      ///< to be written: made if it is not there
  existing,  ///< it must be there
  look,      ///< where there is none, as an empty one; nothing is written
};

class FleetRun {
 public:
  /// Opens the store. Errors: those of the store; options that make no sense.
  static Result<FleetRun> open(FleetPlan plan, FleetOptions options, StoreUse use = StoreUse::make);
  FleetRun(FleetRun&&) noexcept;
  ~FleetRun();

  const FleetPlan& plan() const;

  // What fails is in the outcome. Errors: a store that cannot be written.
  Result<FleetOutcome> map();         ///< leaves of the shard's logs
  Result<FleetOutcome> reduce();      ///< sums of the shard's robots with more than 48 logs or a
                                      ///< population prior; leaves must be there
  Result<FleetOutcome> population();  ///< priors of the shard's models whose robots ask for a
                                      ///< population prior, from the sums of all of them
  Result<FleetOutcome> solve();  ///< answers of the shard's robots, whose leaves must be there;
                                 ///< then report()
  Result<FleetOutcome> run();    ///< all of it; then report()

  /// Writes fleet.json, fleet.csv and fleet.html of all robots of the plan, as the store knows them
  /// now.
  Result<FleetOutcome> report();

  /// What is done and what is not, from the store alone: no log is read, nothing is written.
  FleetOutcome status();

  /// How a run would go, without reading logs.
  Result<FleetForecast> forecast();

  /// Files of the store that the plan does not need. Errors: logs that the store does not know.
  Result<std::vector<std::string>> garbage();

 private:
  struct State;
  explicit FleetRun(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace heft
#pragma GCC visibility pop
