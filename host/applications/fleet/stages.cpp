// The stages of a run: logs to leaves, leaves to sums, sums to results; and all stages of one
// robot, which does not reread its own leaves.
#include "run_state.hpp"

#include <algorithm>

#include "answer.hpp"
#include "executor/backend_choice.hpp"
#include "executor/log_conditioner.hpp"
#include "heft/config/module_options.hpp"
#include "leaf.hpp"
#include "trie.hpp"

namespace heft {

namespace {

using Json = nlohmann::ordered_json;
using Kind = FleetStore::Kind;

constexpr std::size_t kMaxOnTheirWay = 2;  // leaves of a robot: the disk is as fast as sums, or
                                           // work waits for it

}  // namespace

bool FleetRun::State::wants_device() const {
  std::set<std::string> paths;
  for (const FleetRobot& robot : plan.robots)
    if (robot.has_answer) paths.insert(robot.config);
  return std::ranges::any_of(paths, [&](const std::string& path) {
    const auto configuration = options.configuration_of(path);
    return configuration && backend_of(*configuration, 1).kind == BackendKind::cuda;
  });
}

std::string FleetRun::State::why_on_host() {
  if (compared_times({}).empty()) return "";  // no driver: do not read a robot in vain
  for (const FleetRobot& robot : plan.robots) {
    if (!robot.has_answer) continue;
    const auto configuration = options.configuration_of(robot.config);
    if (!configuration || configuration->backend.kind != BackendKind::automatic) continue;
    const auto setup = setups.of(robot.robot, robot.config);
    if (!setup) continue;
    const RegressorPlan& of_robot = (*setup)->setup.plan();
    const EstimationOptions estimation = estimation_options(*configuration);
    BackendWork work{.unknowns = of_robot.layout.num_parameters()};
    if (!estimation.is_least_squares()) work.problems = estimation.uncertainty.bootstrap;
    for (const std::size_t row : robot.training)
      add_log(of_robot, samples_in(static_cast<double>(plan.stamps[row].size), of_robot), 1, work);
    return "on the CPU, like all fleets with backend: auto, whose stores are shared by machines "
           "with and without a device; of " +
           robot.id + ", " + compared_times(work);
  }
  return "";
}

Result<Done> FleetRun::State::share_device() {
  if (conditioner || !wants_device()) return Done{};
  HEFT_TRY(executor, make_executor({.kind = BackendKind::cuda, .threads = 1}));
  HEFT_TRY(device, log_conditioner(*executor));
  if (!device) return Done{};
  conditioner = std::make_shared<SharedConditioner>(std::move(device), pool.num_threads());
  pool.use_gate(conditioner, num_workers_on_device());
  return Done{};
}

std::shared_ptr<RobotConditioner> FleetRun::State::device_of(const FleetRobot& robot,
                                                             const Progress& progress) {
  if (!conditioner) return nullptr;
  const auto setup = setups.of(robot.robot, robot.config, progress);
  if (!setup || !(*setup)->conditions_on_device()) return nullptr;
  return std::make_shared<RobotConditioner>(*conditioner, place_of(robot));
}

std::optional<Error> FleetRun::State::device_failure() const {
  return conditioner ? conditioner->failure() : std::nullopt;
}

bool FleetRun::State::lacks_leaf(const FleetRobot& robot, const RobotSetup& setup,
                                 const Progress& progress) {
  return std::ranges::any_of(robot.training, [&](std::size_t index) {
    const FleetRow& row = plan.manifest.rows[index];
    const auto digest = digests.of(row.log, true, progress);
    return digest && !store.has(Kind::leaf, setup.leaf_key(*digest, row));
  });
}

std::shared_ptr<LogsInMemory> FleetRun::State::read_ahead(const FleetRobot& robot,
                                                          const RobotSetup& setup,
                                                          RobotConditioner& device,
                                                          const Progress& progress) {
  if (robot.num_bytes > kMaxTogether || keeps_sums(robot.training.size())) return nullptr;
  if (!setup.by_leaves) {  // identify_logs() reads training logs before anything else
    device.lend_core_once();
    return nullptr;
  }
  std::vector<FleetRow> rows;
  rows.reserve(robot.training.size() + robot.validation.size());
  for (const auto* places : {&robot.training, &robot.validation})
    for (const std::size_t index : *places) rows.push_back(plan.manifest.rows[index]);
  return std::make_shared<LogsInMemory>(read_together(rows, setup, device, progress));
}

void FleetRun::State::map_row(const FleetRobot& robot, const FleetRow& row, LeavesOfRobot* leaves,
                              const Progress& progress,
                              const std::shared_ptr<RobotConditioner>& device, LogsInMemory* read) {
  const auto digest = digests.of(row.log, true, progress);
  if (!digest) {
    if (!digest.error().is_stop && is_of_store(digest.error())) end_all(digest.error());
    return;  // otherwise it is detected and reported when the robot is processed
  }
  if (owner_of(*digest).empty())
    if (const auto put = store.put_note(Kind::owner, *digest, robot.id); !put)
      return end_all(put.error());
  if (row.validates) return;
  const auto setup = setups.of(robot.robot, robot.config, progress);
  if (!setup || !(*setup)->by_leaves) return;
  const std::string key = (*setup)->leaf_key(*digest, row);
  {
    const std::lock_guard lock(mutex);
    if (store.has(Kind::leaf, key) || !claimed.insert(key).second) {
      if (leaves) leaves->keep_no_logs();
      return;
    }
  }
  auto leaf = make_leaf(row, *digest, leaves ? leaves->may_keep : 0, **setup, store, progress,
                        device, read);
  if (!leaf && leaf.error().is_stop) return;
  if (!leaf && ends_with_device(leaf.error())) return;
  if (!leaf && is_of_store(leaf.error())) return end_all(leaf.error());
  const Json about = {{"robot_id", robot.id}, {"log", row.log}, {"key", key}};
  if (!leaf) {
    store.set_failure(key, failure_text(leaf.error(), key));
    Json failed = about;
    failed["error"] = leaf.error().message();
    return store.note("log failed", failed);
  }
  store.set_failure(key, "");
  if (!leaves) return put_leaf(about, leaf->temporary);
  leaves->wait(kMaxOnTheirWay - 1);
  // if no thread can be created, the waiting thread does the work
  leaves->on_their_way.push_back(
      std::async(std::launch::async | std::launch::deferred,
                 [this, about, temporary = leaf->temporary] { put_leaf(about, temporary); }));
  leaves->keep(key, *std::move(leaf));
}

void FleetRun::State::put_leaf(const Json& about, const std::string& temporary) {
  if (const auto stored = store.put(Kind::leaf, about["key"], temporary); !stored)
    return end_all(stored.error());
  store.note("leaf", about);
  const std::lock_guard lock(mutex);
  ++all.num_leaves_made;
}

Result<Done> FleetRun::State::map() {
  std::vector<std::pair<std::size_t, std::size_t>> tasks;  // robot, row
  std::size_t place = 0;
  for (std::size_t r = 0; r < plan.robots.size(); ++r) {
    const FleetRobot& robot = plan.robots[r];
    for (const auto* rows : {&robot.training, &robot.validation})
      for (const std::size_t row : *rows)
        if (options.shard.takes(place++) && robot.has_answer) tasks.emplace_back(r, row);
  }
  HEFT_CHECK(share_device());
  pool.run("map", "logs", tasks.size(), [&](std::size_t k, const Progress& progress) {
    if (is_at_fault()) return;
    const FleetRobot& robot = plan.robots[tasks[k].first];
    const auto device = device_of(robot, watched(progress));
    // a worker has nothing but the rows of one log while it waits
    if (device && static_cast<double>(plan.stamps[tasks[k].second].size) <= kMaxTogether)
      device->lend_core_once();
    map_row(robot, plan.manifest.rows[tasks[k].second], nullptr, watched(progress), device);
  });
  if (fault) return *fault;
  return Done{};
}

std::optional<ResolvedRobot> FleetRun::State::ready(const FleetRobot& robot,
                                                    const Progress& progress,
                                                    const MadeLeaves& made) {
  auto found = resolved(robot, true, progress);
  if (!found || !found->has_answer || found->input.training.empty()) return {};
  if (!found->setup->by_leaves) return found;
  const LeafCheck leaves = keep_leaves_that_are_there(*found, store, made);
  found->errors.insert(found->errors.end(), leaves.failures.begin(), leaves.failures.end());
  if (!leaves.is_mapped || !join_population(*found)) {
    const std::lock_guard lock(mutex);
    all.unmapped.push_back(robot.id);
    return {};
  }
  if (found->input.training.empty()) return {};
  return found;
}

void FleetRun::State::fail_robot(const FleetRobot& robot, const Error& error,
                                 const std::string& key) {
  if (error.is_stop) return;
  if (ends_with_device(error)) return;
  if (is_of_store(error)) end_all(error);
  if (error.where.starts_with("leaf ") || error.where.starts_with("prior ")) {
    const std::lock_guard lock(mutex);
    has_lost_leaves = true;
  }
  store.set_failure(failure_name_of(robot), failure_text(error, key));
  store.note("robot failed", {{"robot_id", robot.id}, {"key", key}, {"error", error.message()}});
}

void FleetRun::State::reduce_robot(const FleetRobot& robot, const Progress& progress) {
  const auto found = ready(robot, progress);
  if (!found || !found->setup->by_leaves) return;
  if (!keeps_sums(found->input.leaf_keys.size()) && !uses_population_prior(*found->setup)) return;
  const auto sum =
      kept_sum_of_leaves(trie_of(found->input.leaf_keys), *found->setup, store, progress);
  if (!sum) return fail_robot(robot, sum.error(), found->answer_key());
  store.note("sum", {{"robot_id", robot.id}, {"key", found->input.root}});
}

bool FleetRun::State::sees_answer(const FleetRobot& robot, const ResolvedRobot& found) {
  auto record = answer_record(results_of(robot), found.answer_key(), options.writes_pages, store);
  if (!record) return false;
  RobotOutcome outcome{.errors = robot.errors, .notes = robot.notes};
  outcome.errors.insert(outcome.errors.end(), found.errors.begin(), found.errors.end());
  outcome.notes.insert(outcome.notes.end(), found.notes.begin(), found.notes.end());
  note_moves(robot, found, outcome.notes);
  outcome.state = outcome.errors.empty() ? RobotState::done : RobotState::failed;
  keep_look(robot, outcome, found);
  seen[place_of(robot)] = Seen{std::move(outcome), std::move(*record)};
  return true;
}

void FleetRun::State::leave_unsolved(const FleetRobot& robot) {
  const std::lock_guard lock(mutex);
  unsolved.push_back(place_of(robot));
}

void FleetRun::State::look_for_answer(const FleetRobot& robot, const Progress& progress) {
  const auto found = ready(robot, progress);
  if (found && !sees_answer(robot, *found)) leave_unsolved(robot);
}

void FleetRun::State::solve_robot(const FleetRobot& robot, const Progress& progress) {
  if (hopeless[place_of(robot)]) return;
  auto found = ready(robot, progress);
  if (!found || sees_answer(robot, *found)) return;  // by another driver, meanwhile
  // a few robots with new logs share the idle threads
  found->input.num_threads = std::max(1, pool.num_threads() / static_cast<int>(unsolved.size()));
  found->input.device = device_of(robot, progress);
  if (found->input.device)
    found->input.read = read_ahead(robot, *found->setup, *found->input.device, progress);
  answer(robot, *found, {}, progress);
}

void FleetRun::State::map_and_solve_robot(const FleetRobot& robot, const Progress& progress) {
  LeavesOfRobot leaves;
  solve_while_leaves_are_stored(robot, leaves, progress);
  leaves.wait();
}

void FleetRun::State::solve_while_leaves_are_stored(const FleetRobot& robot, LeavesOfRobot& leaves,
                                                    const Progress& progress) {
  if (sees_as_before(robot, progress)) return;
  const auto device = device_of(robot, progress);
  std::shared_ptr<LogsInMemory> read;
  const auto setup = setups.of(robot.robot, robot.config, progress);  // in use until the end
  if (device && setup && (*setup)->by_leaves && lacks_leaf(robot, **setup, progress))
    read = read_ahead(robot, **setup, *device, progress);
  // of many, sums of groups are used, which the store has
  LeavesOfRobot* const kept = keeps_sums(robot.training.size()) ? nullptr : &leaves;
  for (const auto* rows : {&robot.training, &robot.validation})
    for (const std::size_t row : *rows) {
      map_row(robot, plan.manifest.rows[row], kept, progress, device, read.get());
      if (is_at_fault()) return;
    }
  auto found = ready(robot, progress, leaves.made);
  if (!found || sees_answer(robot, *found)) return;
  if (solver.has_device(*found->setup))
    return leave_unsolved(robot);              // problems go to it in batches
  if (!robot.recorded.empty()) leaves.wait();  // sums of each day read the store
  if (num_helped > 0 && num_helped-- > 0) found->input.num_threads = threads_of_helped;
  found->input.device = device;
  found->input.read = read;
  if (device && !read) found->input.read = read_ahead(robot, *found->setup, *device, progress);
  answer(robot, *found, std::move(leaves.made), progress);
}

void FleetRun::State::answer(const FleetRobot& robot, ResolvedRobot& found, MadeLeaves leaves,
                             const Progress& progress) {
  const std::string key = found.answer_key();
  if (const auto known = population_faults.find(found.input.population);
      known != population_faults.end())
    return fail_robot(robot, known->second, key);
  found.input.solver = [&](const Problem& problem) -> Result<Solution> {
    if (const auto known = optima.find(key); known != optima.end()) return *known->second;
    HEFT_TRY(solved, solver.solve({problem}, *found.setup, progress));
    return std::move(solved.front());
  };
  const auto made = make_answer(found.input, std::move(leaves), *found.setup, robot.robot,
                                results_of(robot), store, progress);
  if (!made) return fail_robot(robot, made.error(), key);
  store.set_failure(failure_name_of(robot), "");
  store.note("answer", {{"robot_id", robot.id}, {"key", key}});
  const std::lock_guard lock(mutex);
  ++all.num_answers_made;
}

bool FleetRun::State::lacks_prior(const FleetPopulation& population) const {
  return std::any_of(population.everybody.begin(), population.everybody.end(),
                     [&](const auto& member) {
                       const auto& [place, root] = member;
                       return options.shard.takes(place) &&
                              !store.has(Kind::prior, population_prior_key(population.key, root));
                     });
}

Result<Done> FleetRun::State::make_population_priors(bool shares_out) {
  find_populations(true, watched(pool.progress()));
  for (std::size_t f = 0; f < populations.all().size() && !pool.is_stopped() && !is_at_fault();
       ++f) {
    const FleetPopulation& population = populations.all()[f];
    if (!population.is_one() || !population.is_mapped) continue;
    if (shares_out ? !options.shard.takes(f) : !lacks_prior(population)) continue;
    pool.run("population", "models", 1, [&](std::size_t, const Progress& progress) {
      std::vector<ResolvedRobot> found;
      for (const std::size_t place : population.robots) {
        auto robot = ready(plan.robots[place], watched(progress));
        if (!robot) return;  // a leaf was lost meanwhile; the task that needs it reports it
        found.push_back(std::move(*robot));
      }
      const auto made = heft::make_population_priors(population, found, store, pool.num_threads(),
                                                     watched(progress));
      if (made || made.error().is_stop) return;
      if (is_of_store(made.error())) return end_all(made.error());
      population_faults.emplace(population.key, made.error());
    });
  }
  if (fault) return *fault;
  return Done{};
}

Result<Done> FleetRun::State::each_robot(const char* stage,
                                         void (State::*work)(const FleetRobot&, const Progress&)) {
  std::vector<std::size_t> places;
  for (std::size_t r = 0; r < plan.robots.size(); ++r)
    if (options.shard.takes(r) && plan.robots[r].has_answer) places.push_back(r);
  return each_of(stage, places, work);
}

Result<Done> FleetRun::State::each_of(const char* stage, const std::vector<std::size_t>& places,
                                      void (State::*work)(const FleetRobot&, const Progress&)) {
  pool.run(stage, "robots", places.size(), [&](std::size_t k, const Progress& progress) {
    if (!is_at_fault()) (this->*work)(plan.robots[places[k]], watched(progress));
  });
  if (fault) return *fault;
  return Done{};
}

}  // namespace heft
