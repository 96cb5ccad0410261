#include "fleet/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "dates.hpp"
#include "fleet_report.hpp"
#include "result_folder.hpp"
#include "run_state.hpp"
#include "trie.hpp"

namespace heft {

namespace {

constexpr std::size_t kOptimaAtATime = 4096;  ///< kept until solved: kilobytes each
constexpr int kMaxRepairs = 3;  ///< of pieces that were damaged; a disk that goes on damaging them
                                ///< needs another remedy

}  // namespace

int FleetOutcome::count(RobotState state) const {
  return static_cast<int>(
      std::count_if(robots.begin(), robots.end(),
                    [&](const RobotOutcome& robot) { return robot.state == state; }));
}

Result<FleetOutcome> FleetRun::State::report() {
  // one at a time: the last of several drivers sees the work of all
  const auto lock = FolderLock::take(store.folder());
  if (!lock) return lock.error();
  std::vector<std::optional<AnswerRecord>> records;
  look_at_all(&records);
  if (fault) return *fault;
  if (conditioner) {
    all.waves = conditioner->report();
  } else if (std::string why = why_on_host(); !why.empty()) {
    all.waves = FleetWaves{.chosen_because = std::move(why)};
  }
  HEFT_CHECK(write_fleet_report(plan, all, records, rules, store, pool.num_threads()));
  return all;
}

/// Progress at the end of a stage.
Result<FleetOutcome> FleetRun::State::after(const Result<Done>& work, bool reports) {
  if (!work) return work.error();
  if (reports) return report();
  look_at_all(nullptr);
  if (fault) return *fault;
  return all;
}

Result<Done> FleetRun::State::take_results() {
  if (holds_results) return Done{};
  HEFT_TRY(digest, digest_of_options(options));
  HEFT_TRY(taken, ResultOptions::take(store, digest));
  holds_results.emplace(std::move(taken));
  return Done{};
}

/// Solves all robots of the shard, with their population priors.
Result<Done> FleetRun::State::solve_all() {
  HEFT_CHECK(take_results());
  HEFT_CHECK(share_device());
  HEFT_CHECK(make_population_priors(false));
  unsolved.clear();
  HEFT_CHECK(each_robot("look", &State::look_for_answer));
  return solve_unsolved();
}

Result<Done> FleetRun::State::solve_unsolved() {
  std::sort(unsolved.begin(), unsolved.end());
  hopeless.assign(plan.robots.size(), false);
  for (std::size_t first = 0; first < unsolved.size() && !pool.is_stopped();
       first += kOptimaAtATime) {
    const auto last = std::min(first + kOptimaAtATime, unsolved.size());
    const std::vector<std::size_t> some(unsolved.begin() + static_cast<std::ptrdiff_t>(first),
                                        unsolved.begin() + static_cast<std::ptrdiff_t>(last));
    HEFT_CHECK(find_optima(some));
    HEFT_CHECK(each_of("solve", some, &State::solve_robot));
  }
  return Done{};
}

std::vector<std::size_t> FleetRun::State::robots_one_by_one() {
  constexpr double kOfOneThread = 50e6;  ///< bytes of logs that one thread is through with in a few
                                         ///< seconds
  if (any_robot_uses_population_prior(plan, options)) return {};
  // a robot with a larger share of the logs has its logs distributed over threads
  const std::size_t least_robots = 4 * static_cast<std::size_t>(pool.num_threads());
  if (plan.robots.size() < least_robots) return {};
  std::vector<std::pair<double, std::size_t>> by_age;  // of the newest log, which may be the only
                                                       // one to do
  int num_new = 0;  // whose newest log is younger than their answer
  const double reported_s = modified_at(store.path("fleet.json"));
  for (std::size_t r = 0; r < plan.robots.size(); ++r) {
    const FleetRobot& robot = plan.robots[r];
    if (least_robots * (robot.training.size() + robot.validation.size()) >
        plan.manifest.rows.size())
      return {};
    if (robot.num_bytes > kOfOneThread) return {};
    if (!robot.has_answer) continue;
    by_age.emplace_back(-robot.newest_s, r);
    // logs older than the last report are not urgent
    num_new += robot.newest_s > reported_s && robot.newest_s > sealed_at(results_of(robot));
  }
  num_helped = num_new < pool.num_threads() ? num_new : 0;
  threads_of_helped = pool.num_threads() / std::max(1, num_new);
  std::sort(by_age.begin(), by_age.end());
  std::vector<std::size_t> places;
  for (const auto& [age, place] : by_age) places.push_back(place);
  return places;
}

Result<Done> FleetRun::State::map_and_solve_all() {
  HEFT_CHECK(take_results());
  HEFT_CHECK(share_device());
  last_look = LastLook::read(store);
  if (const std::vector<std::size_t> one_by_one = robots_one_by_one(); !one_by_one.empty()) {
    HEFT_CHECK(each_of("identify", one_by_one, &State::map_and_solve_robot));
    // robots that waited for a shared log find its leaf now
    if (const auto ids = std::exchange(all.unmapped, {}); !ids.empty()) {
      const std::set<std::string> waited(ids.begin(), ids.end());
      std::vector<std::size_t> places;
      for (const FleetRobot& robot : plan.robots)
        if (waited.contains(robot.id)) places.push_back(place_of(robot));
      HEFT_CHECK(each_of("identify", places, &State::map_and_solve_robot));
    }
    if (!has_lost_leaves && all.unmapped.empty()) return solve_unsolved();
    has_lost_leaves = false;
    claimed.clear(), all.unmapped.clear();
  }
  HEFT_CHECK(map());
  return solve_all();
}

FleetRun::FleetRun(std::unique_ptr<State> state) : state_(std::move(state)) {}
FleetRun::FleetRun(FleetRun&&) noexcept = default;
FleetRun::~FleetRun() = default;

const FleetPlan& FleetRun::plan() const {
  return state_->plan;
}

Result<FleetRun> FleetRun::open(FleetPlan plan, FleetOptions options, StoreUse use) {
  if (options.shard.count < 1 || options.shard.index < 0 ||
      options.shard.index >= options.shard.count)
    return Error{
        "--shard",
        fmt::format("shard {}/{} does not exist", options.shard.index, options.shard.count),
        fmt::format("shards are numbered from 0: the first of {0} is 0/{0}, the last {1}/{0}",
                    std::max(1, options.shard.count), std::max(1, options.shard.count) - 1)};
  if (!options.configuration_of)
    options.configuration_of = [](const std::string& path) {
      return path.empty() ? Result<Configuration>(Configuration()) : read_configuration(path);
    };
  std::optional<GateRules> rules;
  if (!options.gate.empty()) {
    HEFT_TRY(read, read_gate_rules(options.gate));
    rules = std::move(read);
  }
  HEFT_TRY(store, FleetStore::open(options.store, use));
  auto state = std::make_unique<State>(std::move(plan), std::move(options), std::move(store));
  state->rules = std::move(rules);
  if (state->options.memory_mb > 0) HEFT_CHECK(state->stay_within_memory());
  return FleetRun(std::move(state));
}

Result<FleetOutcome> FleetRun::map() {
  return state_->after(state_->map(), false);
}

Result<FleetOutcome> FleetRun::reduce() {
  return state_->after(state_->each_robot("reduce", &State::reduce_robot), false);
}

Result<FleetOutcome> FleetRun::population() {
  return state_->after(state_->make_population_priors(true), false);
}

Result<FleetOutcome> FleetRun::solve() {
  return state_->after(state_->solve_all(), true);
}

Result<FleetOutcome> FleetRun::run() {
  State& state = *state_;
  state.store.note("run",
                   {{"manifest", state.plan.manifest.path}, {"robots", state.plan.robots.size()}});
  Result<Done> solved = state.map_and_solve_all();
  for (int times = 0; solved && state.has_lost_leaves && times < kMaxRepairs; ++times) {
    state.has_lost_leaves = false;
    state.claimed.clear(), state.population_faults.clear(), state.all.unmapped.clear();
    HEFT_CHECK(state.map());
    solved = state.solve_all();
  }
  HEFT_TRY(outcome, state.after(solved, true));
  state.write_looks();
  state.store.note("end", {{"done", outcome.count(RobotState::done)},
                           {"failed", outcome.count(RobotState::failed)},
                           {"missing", outcome.count(RobotState::missing)}});
  return std::move(outcome);
}

Result<FleetOutcome> FleetRun::report() {
  return state_->report();
}

Result<FleetOutcome> FleetRun::status() {
  state_->digests.look_at_touched();
  return state_->after(Done{}, false);
}

}  // namespace heft
