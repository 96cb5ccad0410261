// State shared by all stages of a run: plan, store, threads, and current results.
#pragma once

#include <atomic>
#include <deque>
#include <future>
#include <map>
#include <mutex>
#include <set>

#include "failures.hpp"
#include "fleet/run.hpp"
#include "fleet_populations.hpp"
#include "gate.hpp"

#include "leaf.hpp"
#include "optima.hpp"
#include "previous_run.hpp"
#include "resolved_robot.hpp"
#include "result_options.hpp"
#include "shared_conditioner.hpp"
#include "work_pool.hpp"

namespace heft {

/// Recent pieces of a robot that goes through all stages.
struct LeavesOfRobot {
  MadeLeaves made;
  double may_keep = kMaxKept;  ///< bytes of conditioned logs that may be kept: all of the robot's,
                               ///< or none
  std::deque<std::future<void>> on_their_way;  ///< writes to the store, whose disk takes as long as
                                               ///< summing a log

  void keep(const std::string& key, MadeLeaf leaf) {
    if (leaf.log)
      may_keep -= leaf.log->bytes;
    else
      keep_no_logs();
    made.emplace(key, std::move(leaf));
  }
  /// Discards the others once one must be read.
  void keep_no_logs() {
    may_keep = 0;
    for (auto& [key, leaf] : made) leaf.log.reset(), leaf.rows.reset();
  }
  /// Waits until the store has all but `most` of them.
  void wait(std::size_t most = 0) {
    for (; on_their_way.size() > most; on_their_way.pop_front()) on_their_way.front().get();
  }
};

struct FleetRun::State {
  FleetPlan plan;
  FleetOptions options;
  FleetStore store;
  RobotSetups setups;
  LogDigests digests;
  WorkPool pool;
  std::shared_ptr<SharedConditioner> conditioner;  // null: the host conditions all logs
  double largest_mb = 0;                           // memory of a job, if --memory limits it
  FleetOutcome all;
  std::mutex mutex;
  std::set<std::string> claimed;  // leaves in progress on a thread of this process
  mutable std::mutex owners_mutex;
  mutable std::map<std::string, std::string> owners;  // known owners, by digests of logs: constant
  std::optional<GateRules> rules;
  FleetPopulations populations;
  std::map<std::string, Error> population_faults;  // by the population's key: why it has no prior
  bool has_lost_leaves = false;                    // damaged ones, which must be made again
  std::optional<ResultOptions> holds_results;      // while this run writes to results/
  std::optional<Error> fault;                      // fatal fault of the store or the device
  /// Findings of this run about a robot whose answer is in the store, cached for the report.
  struct Seen {
    RobotOutcome outcome;
    AnswerRecord record;
  };
  std::vector<std::optional<Seen>> seen;  // per robot; each entry is written by the thread that has
                                          // the robot
  LastLook last_look;                     // of the previous run
  /// Record of a completed robot for the next run.
  struct NextLook {
    std::string fingerprint;
    RobotPieces pieces;
  };
  std::vector<std::optional<NextLook>> next_looks;  // per robot, like `seen`
  std::vector<std::size_t> unsolved;                // robots whose answers are missing
  std::atomic<int> num_helped = 0;  // robots with a new log that idle threads support, because
                                    // there are so few
  int threads_of_helped = 1;
  AnswerSolver solver;
  std::map<std::string, std::shared_ptr<const Solution>> optima;  // found in batches, by keys of
                                                                  // answers
  std::vector<char> hopeless;  // robots whose problem could not be made; each entry is written by
                               // the thread that has the robot

  State(FleetPlan fleet, FleetOptions given, FleetStore opened);

  /// Reduces the number of jobs to fit the memory limit. Error: the largest robot alone exceeds it.
  Result<Done> stay_within_memory();

  // known state (run_state.cpp)

  std::string results_of(const FleetRobot& robot) const;
  std::size_t place_of(const FleetRobot& robot) const {
    return static_cast<std::size_t>(&robot - plan.robots.data());
  }
  /// Empty if stopped.
  std::optional<ResolvedRobot> resolved(const FleetRobot& robot, bool reads,
                                        const Progress& progress);
  /// Returns the store's state of a robot, including the record of its answer if requested. Missing
  /// if stopped.
  RobotOutcome known(const FleetRobot& robot, std::optional<AnswerRecord>* record = nullptr);
  /// Returns the id of the first robot to which a log was assigned; empty: none yet.
  std::string owner_of(const std::string& digest) const;
  /// Reports logs that were first assigned to another robot.
  void note_moves(const FleetRobot& robot, const ResolvedRobot& found,
                  std::vector<std::string>& notes) const;
  /// Returns outcomes of all robots, with the records of existing answers.
  void look_at_all(std::vector<std::optional<AnswerRecord>>* records);
  /// Returns the populations from the content of the store; empty if no robot requests one.
  void find_populations(bool reads, const Progress& progress);
  /// Returns false while logs of the robot's population are not mapped.
  bool join_population(ResolvedRobot& robot) const;

  // the stages (stages.cpp)

  /// Shares a device between the workers, if a robot requests one. Error: it does not respond; the
  /// host would make other leaves.
  Result<Done> share_device();
  bool wants_device() const;  ///< whether a robot requests one
  /// Returns why `backend: auto` is the CPU, with the times of the first robot, even if it is done.
  /// Empty without a CUDA driver, or if no robot has this backend.
  std::string why_on_host();
  /// Returns the number of workers that read logs for a device; --memory limits it.
  int num_workers_on_device() const;
  /// Returns the device that conditions logs of a robot; null: the host does.
  std::shared_ptr<RobotConditioner> device_of(const FleetRobot& robot, const Progress& progress);
  /// Returns whether the store has no leaf of one of the robot's logs.
  bool lacks_leaf(const FleetRobot& robot, const RobotSetup& setup, const Progress& progress);
  /// Reads all logs of a robot and has them conditioned together; null: they are too large, or read
  /// as they are needed.
  std::shared_ptr<LogsInMemory> read_ahead(const FleetRobot& robot, const RobotSetup& setup,
                                           RobotConditioner& device, const Progress& progress);
  /// Returns the error of the shared device, if it has failed: it fails no robot, but ends the run.
  std::optional<Error> device_failure() const;

  /// Adds a new leaf to `leaves` if given, before the store has it; otherwise waits until it is
  /// stored. `device` and `read` as in leaf.hpp.
  void map_row(const FleetRobot& robot, const FleetRow& row, LeavesOfRobot* leaves,
               const Progress& progress, const std::shared_ptr<RobotConditioner>& device,
               LogsInMemory* read = nullptr);
  /// Stores the file `temporary` as the leaf that `about` names in events; write errors end the
  /// run.
  void put_leaf(const nlohmann::ordered_json& about, const std::string& temporary);
  Result<Done> map();
  void reduce_robot(const FleetRobot& robot, const Progress& progress);
  /// Returns whether a robot and all its pieces are unchanged since the previous run, and sets
  /// `seen`.
  bool sees_as_before(const FleetRobot& robot, const Progress& progress);
  /// Records a completed robot for the next run.
  void keep_look(const FleetRobot& robot, const RobotOutcome& outcome, const ResolvedRobot& found);
  void write_looks() const;
  /// Returns whether a robot's answer exists, and sets `seen`.
  bool sees_answer(const FleetRobot& robot, const ResolvedRobot& found);
  void leave_unsolved(const FleetRobot& robot);
  void look_for_answer(const FleetRobot& robot, const Progress& progress);
  void solve_robot(const FleetRobot& robot, const Progress& progress);
  /// Runs all stages of one robot, on one thread unless others are idle.
  void map_and_solve_robot(const FleetRobot& robot, const Progress& progress);
  void solve_while_leaves_are_stored(const FleetRobot& robot, LeavesOfRobot& leaves,
                                     const Progress& progress);
  /// Makes the answer, from new leaves if there are any.
  void answer(const FleetRobot& robot, ResolvedRobot& found, MadeLeaves leaves,
              const Progress& progress);
  /// Returns the robots that go through all stages one by one, those with the newest logs first;
  /// empty if there are few robots, or one is large or needs its population. Counts those with a
  /// new log; if they are fewer than threads, idle threads support them.
  std::vector<std::size_t> robots_one_by_one();

  // convex problems of many robots (optima.cpp)

  /// A robot's problem before it is solved; without one, it is solved with the answer, or not at
  /// all.
  struct Posed {
    std::string key;  ///< of the answer
    std::shared_ptr<const RobotSetup> setup;
    Problem problem;
  };
  /// Solves problems of the robots in `places` that use a device.
  Result<Done> find_optima(const std::vector<std::size_t>& places);
  /// Returns how many problems from `first` on fit into memory.
  std::size_t end_of_batch(const std::vector<std::size_t>& places, std::size_t first);
  void pose(const FleetRobot& robot, Posed& posed, const Progress& progress);
  void solve_posed(std::vector<Posed> posed, const Progress& progress);

  /// Runs `work` on every robot of `places`.
  Result<Done> each_of(const char* stage, const std::vector<std::size_t>& places,
                       void (State::*work)(const FleetRobot&, const Progress&));
  Result<Done> each_robot(const char* stage,
                          void (State::*work)(const FleetRobot&, const Progress&));
  /// For the populations of the shard, or those for which robots of the shard wait.
  bool lacks_prior(const FleetPopulation& population) const;
  Result<Done> make_population_priors(bool shares_out);
  /// Returns the robot with its existing leaves; empty if it cannot be processed, which known()
  /// reports.
  std::optional<ResolvedRobot> ready(const FleetRobot& robot, const Progress& progress,
                                     const MadeLeaves& made = {});
  void fail_robot(const FleetRobot& robot, const Error& error, const std::string& key);
  /// From now on results/ uses this run's options.
  Result<Done> take_results();
  Result<Done> solve_all();
  Result<Done> solve_unsolved();
  /// Runs everything: robot by robot, or stage by stage.
  Result<Done> map_and_solve_all();
  Result<FleetOutcome> report();
  Result<FleetOutcome> after(const Result<Done>& work, bool reports);

  /// Ends the run: the store cannot be written, or the device has failed.
  void end_all(const Error& error);
  /// Ends the run if a robot's error comes from a device that all robots use; returns whether.
  bool ends_with_device(const Error& error);
  /// Called by threads of the pool.
  bool is_at_fault();
  bool is_of_store(const Error& error) const { return error.where.starts_with(store.folder()); }
  /// Also returns false after a fatal fault.
  Progress watched(const Progress& progress);
};

}  // namespace heft
