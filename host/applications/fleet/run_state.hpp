// What all stages of a run share: plan, store, threads, and what has happened so far.
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
#include "work_pool.hpp"

namespace heft {

/// Of a robot that goes through all stages: what was just made of its logs.
struct LeavesOfRobot {
  MadeLeaves made;
  double may_keep = kMaxKept;  ///< bytes of logs as they were conditioned: all of the robot's, or
                               ///< none
  std::deque<std::future<void>> on_their_way;  ///< to the store, whose disk takes as long as a
                                               ///< log's sums

  void keep(const std::string& key, MadeLeaf leaf) {
    if (leaf.log)
      may_keep -= leaf.log->bytes;
    else
      keep_no_logs();
    made.emplace(key, std::move(leaf));
  }
  /// One has to be read: then the others are of no use.
  void keep_no_logs() {
    may_keep = 0;
    for (auto& [key, leaf] : made) leaf.log.reset();
  }
  /// Until the store has all of them but `most`.
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
  FleetOutcome all;
  std::mutex mutex;
  std::set<std::string> claimed;  // leaves that a thread of this process makes
  mutable std::mutex owners_mutex;
  mutable std::map<std::string, std::string> owners;  // that were read, by digests of logs: they
                                                      // never change
  std::optional<GateRules> rules;
  FleetPopulations populations;
  std::map<std::string, Error> population_faults;  // by the population's key: why it has no prior
  bool has_lost_leaves = false;                    // that were damaged, and are to be made again
  std::optional<ResultOptions> holds_results;      // while this run writes to results/
  std::optional<Error> fault;                      // of the store, which ends all
  /// What a stage of this run found of a robot whose answer is in the store: the report does not
  /// look again.
  struct Seen {
    RobotOutcome outcome;
    AnswerRecord record;
  };
  std::vector<std::optional<Seen>> seen;  // of every robot; each written by the thread that has the
                                          // robot
  LastLook last_look;                     // of the run before
  /// Of a robot that is done, for the next run.
  struct NextLook {
    std::string fingerprint;
    RobotPieces pieces;
  };
  std::vector<std::optional<NextLook>> next_looks;  // as `seen`
  std::vector<std::size_t> unsolved;                // robots whose answers are to be made
  std::atomic<int> num_helped = 0;  // robots with a new log, so few that threads are idle meanwhile
  int threads_of_helped = 1;
  AnswerSolver solver;
  std::map<std::string, std::shared_ptr<const Solution>> optima;  // found in batches, by keys of
                                                                  // answers
  std::vector<char> hopeless;  // robots whose problem could not be posed; each written by the
                               // thread that has the robot

  State(FleetPlan fleet, FleetOptions given, FleetStore opened);

  /// Fewer jobs where they would need more than is given. Error: the largest robot alone does.
  Result<Done> stay_within_memory();

  // what is known (run_state.cpp)

  std::string results_of(const FleetRobot& robot) const;
  std::size_t place_of(const FleetRobot& robot) const {
    return static_cast<std::size_t>(&robot - plan.robots.data());
  }
  /// Stopped: none.
  std::optional<ResolvedRobot> resolved(const FleetRobot& robot, bool reads,
                                        const Progress& progress);
  /// Everything about a robot that the store knows, with the record of its answer if one is asked
  /// for. Stopped: missing.
  RobotOutcome known(const FleetRobot& robot, std::optional<AnswerRecord>* record = nullptr);
  /// Id of the robot that a log was first said to be of; empty: of none yet.
  std::string owner_of(const std::string& digest) const;
  /// Says which logs were first known as another robot's.
  void note_moves(const FleetRobot& robot, const ResolvedRobot& found,
                  std::vector<std::string>& notes) const;
  /// Outcomes of all robots, and their records where there are answers.
  void look_at_all(std::vector<std::optional<AnswerRecord>>* records);
  /// The populations, from what the store has; nothing where no robot asks for it.
  void find_populations(bool reads, const Progress& progress);
  /// False: logs of its population are not mapped yet.
  bool join_population(ResolvedRobot& robot) const;

  // the stages (stages.cpp)

  /// A leaf that is made goes to `leaves` where they are given, and may still be on its way to the
  /// store; else it has arrived.
  void map_row(const FleetRobot& robot, const FleetRow& row, LeavesOfRobot* leaves,
               const Progress& progress);
  /// Puts the file `temporary` into the store as the leaf that `about` names for events; a disk
  /// that fails ends all.
  void put_leaf(const nlohmann::ordered_json& about, const std::string& temporary);
  Result<Done> map();
  void reduce_robot(const FleetRobot& robot, const Progress& progress);
  /// Whether a robot is as the run before saw it, with all its pieces: then it is `seen`.
  bool sees_as_before(const FleetRobot& robot, const Progress& progress);
  /// What the next run may go by, if the robot is done.
  void keep_look(const FleetRobot& robot, const RobotOutcome& outcome, const ResolvedRobot& found);
  void write_looks() const;
  /// Whether a robot's answer is there, which is then `seen`.
  bool sees_answer(const FleetRobot& robot, const ResolvedRobot& found);
  void leave_unsolved(const FleetRobot& robot);
  void look_for_answer(const FleetRobot& robot, const Progress& progress);
  void solve_robot(const FleetRobot& robot, const Progress& progress);
  /// All stages of one robot, on one thread unless others are idle.
  void map_and_solve_robot(const FleetRobot& robot, const Progress& progress);
  void solve_while_leaves_are_stored(const FleetRobot& robot, LeavesOfRobot& leaves,
                                     const Progress& progress);
  /// Makes the answer, of leaves that were just made where there are any.
  void answer(const FleetRobot& robot, ResolvedRobot& found, MadeLeaves leaves,
              const Progress& progress);
  /// Robots that go through all stages one by one, those with the newest logs first; none where
  /// robots are few or some is large, or needs its population. Counts those with a new log, which
  /// are helped if they are fewer than threads.
  std::vector<std::size_t> robots_one_by_one();

  // the convex problems of many robots (optima.cpp)

  /// A robot's problem before it is solved; without one, it is solved when the answer is made, or
  /// not at all.
  struct Posed {
    std::string key;  ///< of the answer
    std::shared_ptr<const RobotSetup> setup;
    Problem problem;
  };
  /// Optima of those robots of `places` whose problems go to a device.
  Result<Done> find_optima(const std::vector<std::size_t>& places);
  /// How far from `first` on problems fit into memory.
  std::size_t end_of_batch(const std::vector<std::size_t>& places, std::size_t first);
  void pose(const FleetRobot& robot, Posed& posed, const Progress& progress);
  void solve_posed(std::vector<Posed> posed, const Progress& progress);

  /// `work` on every robot of `places`.
  Result<Done> each_of(const char* stage, const std::vector<std::size_t>& places,
                       void (State::*work)(const FleetRobot&, const Progress&));
  Result<Done> each_robot(const char* stage,
                          void (State::*work)(const FleetRobot&, const Progress&));
  /// Of the populations of the shard, or of those whose robots in the shard wait for one.
  bool lacks_prior(const FleetPopulation& population) const;
  Result<Done> make_population_priors(bool shares_out);
  /// The robot with the leaves that it has; none if it cannot be worked on, which known() finds out
  /// and says.
  std::optional<ResolvedRobot> ready(const FleetRobot& robot, const Progress& progress,
                                     const MadeLeaves& made = {});
  void fail_robot(const FleetRobot& robot, const Error& error, const std::string& key);
  /// Results are those of this run's options from now on.
  Result<Done> take_results();
  Result<Done> solve_all();
  Result<Done> solve_unsolved();
  /// Everything: robot by robot, or stage by stage.
  Result<Done> map_and_solve_all();
  Result<FleetOutcome> report();
  Result<FleetOutcome> after(const Result<Done>& work, bool reports);

  /// Ends all: the store cannot be written.
  void end_all(const Error& error);
  /// Asked by threads of the pool.
  bool is_at_fault();
  bool is_of_store(const Error& error) const { return error.where.starts_with(store.folder()); }
  /// Says no as well once the store is at fault.
  Progress watched(const Progress& progress);
};

}  // namespace heft
