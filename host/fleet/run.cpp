#include "heft/fleet/run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <set>
#include <thread>

#include "files/json_text.hpp"
#include "files/whole_file.hpp"
#include "fleet_report.hpp"
#include "leaf.hpp"
#include "resolved_robot.hpp"
#include "work_pool.hpp"

namespace heft {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Kind = FleetStore::Kind;

// Measured by bench/fleet on two cores of a Xeon, one job each.
constexpr double kSecondsPerLog = 0.012, kMapBytesPerSecond = 25e6;
constexpr double kSecondsPerRobot = 0.25, kSolveBytesPerSecond = 15e6;
constexpr double kProcess_mb = 60, kMap_mb = 60, kSolve_mb = 120;
constexpr double kLeaf_mb = 1.2, kPage_mb = 1.9;
constexpr int kMostJobs = 4096;
constexpr std::size_t kMostSetupsToJudge = 1000;

std::string failure_text(const Error& error, const std::string& key) {
  return Json{{"where", error.where}, {"what", error.what}, {"remedy", error.remedy}, {"key", key}}.dump(
             -1, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

/// The failure on record, if it is about `key`.
std::optional<Error> failure_of(const FleetStore& store, const std::string& name, const std::string& key) {
  const auto text = store.text(Kind::failure, name);
  if (!text) return {};
  const Json json = parse_json<Json>(*text);
  if (!json.is_object() || json.value("key", "") != key) return {};
  return Error{json.value("where", ""), json.value("what", ""), json.value("remedy", "")};
}

std::string robot_name(const FleetRobot& robot) {
  return digest_of("robot " + robot.id);
}

/// Leaves out the training logs without a leaf.
void keep_leaves(ResolvedRobot& robot, const std::vector<bool>& is_there) {
  AnswerInput& input = robot.input;
  std::size_t kept = 0;
  for (std::size_t k = 0; k < is_there.size(); ++k) {
    if (!is_there[k]) continue;
    input.training[kept] = input.training[k];
    input.leaf_keys[kept] = input.leaf_keys[k];
    robot.training_digests[kept++] = robot.training_digests[k];
  }
  input.training.resize(kept), input.leaf_keys.resize(kept), robot.training_digests.resize(kept);
  if (kept > 0) input.root = trie_of(input.leaf_keys).back().key;
}

}  // namespace

int FleetOutcome::count(RobotState state) const {
  return static_cast<int>(std::count_if(robots.begin(), robots.end(),
                                        [&](const RobotOutcome& robot) { return robot.state == state; }));
}

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
  std::optional<GateRules> rules;
  bool has_lost_leaves = false;  // that were damaged, and are to be made again
  std::optional<Error> fault;    // of the store, which ends all

  State(FleetPlan fleet, FleetOptions given, FleetStore opened)
      : plan(std::move(fleet)),
        options(std::move(given)),
        store(std::move(opened)),
        setups(options.configuration_of),
        digests(store),
        pool(options.jobs, options.time_s, options.progress) {
    if (options.memory_mb > 0)
      pool.limit_threads(static_cast<int>(
          std::clamp((options.memory_mb - kProcess_mb) / kSolve_mb, 1.0, static_cast<double>(kMostJobs))));
  }

  std::string results_of(const FleetRobot& robot) const {
    return store.path((fs::path("results") / robot.folder).string());
  }

  std::optional<ResolvedRobot> resolved(const FleetRobot& robot, bool reads, const Progress& progress) {
    auto found = resolve(plan, robot, setups, digests, reads, progress);
    if (found) found->input.accepted = options.accepted, found->input.writes_page = options.writes_pages;
    return found;
  }

  /// Everything about a robot that the store knows, with the record of its answer if one is asked for. Stopped: missing.
  RobotOutcome known(const FleetRobot& robot, Json* record = nullptr) {
    RobotOutcome outcome{.errors = robot.errors, .notes = robot.notes};
    auto found = resolved(robot, false, {});
    if (!found) return outcome;
    outcome.errors.insert(outcome.errors.end(), found->errors.begin(), found->errors.end());
    outcome.notes.insert(outcome.notes.end(), found->notes.begin(), found->notes.end());
    const auto failed = [&] {
      outcome.state = RobotState::failed;
      return outcome;
    };
    if (!found->has_answer) return failed();
    if (!found->is_known || found->input.training.empty()) return outcome;
    note_moves(robot, *found, outcome.notes);
    if (found->setup->by_leaves) {
      std::vector<bool> is_there;
      for (std::size_t k = 0; k < found->input.leaf_keys.size(); ++k) {
        const std::string& key = found->input.leaf_keys[k];
        is_there.push_back(store.has(Kind::leaf, key));
        if (is_there.back()) continue;
        const auto failure = failure_of(store, key, key);
        if (!failure) return outcome;
        outcome.errors.push_back(*failure);
      }
      keep_leaves(*found, is_there);
      if (found->input.training.empty()) return failed();
    }
    const std::string key = found->answer_key();
    std::optional<Json> answer;
    if (record) answer = answer_record(results_of(robot), key, store);
    if (record ? !answer : !has_answer(results_of(robot), key, false, store)) {
      if (const auto failure = failure_of(store, robot_name(robot), key)) {
        outcome.errors.push_back(*failure);
        return failed();
      }
      return outcome;
    }
    if (record) *record = std::move(*answer);
    outcome.state = outcome.errors.empty() ? RobotState::done : RobotState::failed;
    return outcome;
  }

  /// Says which logs were first known as another robot's.
  void note_moves(const FleetRobot& robot, const ResolvedRobot& found,
                  std::vector<std::string>& notes) const {
    for (const bool validates : {false, true}) {
      const auto& rows = validates ? found.input.validation : found.input.training;
      const auto& known_as = validates ? found.validation_digests : found.training_digests;
      for (std::size_t k = 0; k < rows.size(); ++k) {
        const auto owner = store.text(Kind::owner, known_as[k]);
        if (owner && *owner != robot.id)
          notes.push_back(
              fmt::format("log '{}' was that of robot '{}' before: has it moved?", rows[k].log, *owner));
      }
    }
  }

  /// Ends all: the store cannot be written.
  void end_all(const Error& error) {
    const std::lock_guard lock(mutex);
    if (!fault) fault = error;
  }

  /// Asked by threads of the pool.
  bool is_at_fault() {
    const std::lock_guard lock(mutex);
    return fault.has_value();
  }

  bool is_of_store(const Error& error) const { return error.where.starts_with(store.folder()); }

  void map_row(const FleetRobot& robot, const FleetRow& row, const Progress& progress) {
    const auto digest = digests.of(row.log, true, progress);
    if (!digest) {
      if (!digest.error().is_stop && is_of_store(digest.error())) end_all(digest.error());
      return;  // else it is known again, and said, when the robot is looked at
    }
    if (!store.has(Kind::owner, *digest))
      if (const auto put = store.put_text(Kind::owner, *digest, robot.id); !put) return end_all(put.error());
    if (row.validates) return;
    const auto setup = setups.of(robot.robot, robot.config, progress);
    if (!setup || !(*setup)->by_leaves) return;
    const std::string key = (*setup)->leaf_key(*digest, row);
    {
      const std::lock_guard lock(mutex);
      if (store.has(Kind::leaf, key) || !claimed.insert(key).second) return;
    }
    const auto made = make_leaf(row, *digest, key, **setup, store, progress);
    if (!made && made.error().is_stop) return;
    if (!made && is_of_store(made.error())) return end_all(made.error());
    const Json about = {{"robot_id", robot.id}, {"log", row.log}, {"key", key}};
    if (!made) {
      store.set_failure(key, failure_text(made.error(), key));
      Json failed = about;
      failed["error"] = made.error().message();
      return store.note("log failed", failed);
    }
    store.set_failure(key, "");
    store.note("leaf", about);
    const std::lock_guard lock(mutex);
    ++all.num_leaves_made;
  }

  Result<Done> map() {
    std::vector<std::pair<std::size_t, std::size_t>> tasks;  // robot, row
    std::size_t place = 0;
    for (std::size_t r = 0; r < plan.robots.size(); ++r) {
      const FleetRobot& robot = plan.robots[r];
      for (const auto* rows : {&robot.training, &robot.validation})
        for (const std::size_t row : *rows)
          if (options.shard.takes(place++) && robot.has_answer) tasks.emplace_back(r, row);
    }
    pool.run("map", "logs", tasks.size(), [&](std::size_t k, const Progress& progress) {
      if (!is_at_fault())
        map_row(plan.robots[tasks[k].first], plan.manifest.rows[tasks[k].second], watched(progress));
    });
    if (fault) return *fault;
    return Done{};
  }

  /// Says no as well once the store is at fault.
  Progress watched(const Progress& progress) {
    return [this, progress](const std::string& stage, double fraction) {
      return !is_at_fault() && progress(stage, fraction);
    };
  }

  /// The robot with the leaves that it has; none if it cannot be worked on, which known() finds out and says.
  std::optional<ResolvedRobot> ready(const FleetRobot& robot, const Progress& progress) {
    auto found = resolved(robot, true, progress);
    if (!found || !found->has_answer || found->input.training.empty()) return {};
    if (!found->setup->by_leaves) return found;
    std::vector<bool> is_there;
    for (const std::string& key : found->input.leaf_keys) {
      is_there.push_back(store.has(Kind::leaf, key));
      if (is_there.back() || failure_of(store, key, key)) continue;
      const std::lock_guard lock(mutex);
      all.unmapped.push_back(robot.id);
      return {};
    }
    keep_leaves(*found, is_there);
    if (found->input.training.empty()) return {};
    return found;
  }

  void fail_robot(const FleetRobot& robot, const Error& error, const std::string& key) {
    if (error.is_stop) return;
    if (is_of_store(error)) end_all(error);
    if (error.where.starts_with("leaf ")) {
      const std::lock_guard lock(mutex);
      has_lost_leaves = true;
    }
    store.set_failure(robot_name(robot), failure_text(error, key));
    store.note("robot failed", {{"robot_id", robot.id}, {"key", key}, {"error", error.message()}});
  }

  void reduce_robot(const FleetRobot& robot, const Progress& progress) {
    const auto found = ready(robot, progress);
    if (!found || !found->setup->by_leaves) return;
    const auto sum = sum_of_leaves(trie_of(found->input.leaf_keys), *found->setup, store, progress);
    if (!sum) return fail_robot(robot, sum.error(), found->answer_key());
    store.note("sum", {{"robot_id", robot.id}, {"key", found->input.root}});
  }

  void solve_robot(const FleetRobot& robot, const Progress& progress) {
    const auto found = ready(robot, progress);
    if (!found) return;
    const std::string key = found->answer_key(), folder = results_of(robot);
    if (has_answer(folder, key, options.writes_pages, store)) return;
    const auto made = make_answer(found->input, *found->setup, robot.robot, folder, store, progress);
    if (!made) return fail_robot(robot, made.error(), key);
    store.set_failure(robot_name(robot), "");
    store.note("answer", {{"robot_id", robot.id}, {"key", key}});
    const std::lock_guard lock(mutex);
    ++all.num_answers_made;
  }

  Result<Done> each_robot(const char* stage, void (State::*work)(const FleetRobot&, const Progress&)) {
    std::vector<std::size_t> tasks;
    for (std::size_t r = 0; r < plan.robots.size(); ++r)
      if (options.shard.takes(r) && plan.robots[r].has_answer) tasks.push_back(r);
    pool.run(stage, "robots", tasks.size(), [&](std::size_t k, const Progress& progress) {
      if (!is_at_fault()) (this->*work)(plan.robots[tasks[k]], watched(progress));
    });
    if (fault) return *fault;
    return Done{};
  }

  /// Outcomes of all robots, and their records where there are answers.
  void look_at_all(std::vector<Json>* records) {
    all.robots.assign(plan.robots.size(), {});
    for (std::size_t r = 0; r < plan.robots.size(); ++r) {
      RobotOutcome& robot = all.robots[r];
      Json record;
      robot = known(plan.robots[r], &record);
      if (record.is_object()) {
        robot.certified = record.value("certified", false);
        for (const Json& doubt : record["doubts"])
          if (doubt.value("severity", "") == "serious" && !doubt.value("accepted", false))
            robot.open_doubts.push_back(doubt.value("words", ""));
      }
      if (records) records->push_back(std::move(record));
    }
    all.is_stopped = pool.is_stopped();
  }

  Result<FleetOutcome> report() {
    // one at a time: the last of several drivers sees what all have done
    const int lock = ::open(store.path("lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (lock >= 0) (void)::flock(lock, LOCK_EX);
    std::vector<Json> records;
    look_at_all(&records);
    auto written = write_fleet_report(plan, all, records, rules, store);
    if (lock >= 0) ::close(lock);
    if (!written) return written.error();
    return all;
  }

  Result<FleetOutcome> after(const Result<Done>& work, bool reports) {
    if (!work) return work.error();
    if (reports) return report();
    look_at_all(nullptr);
    return all;
  }
};

FleetRun::FleetRun(std::unique_ptr<State> state) : state_(std::move(state)) {}
FleetRun::FleetRun(FleetRun&&) noexcept = default;
FleetRun::~FleetRun() = default;

const FleetPlan& FleetRun::plan() const {
  return state_->plan;
}

Result<FleetRun> FleetRun::open(FleetPlan plan, FleetOptions options, StoreUse use) {
  if (options.shard.count < 1 || options.shard.index < 0 || options.shard.index > options.shard.count)
    return Error{"--shard", fmt::format("there is no shard {}/{}", options.shard.index, options.shard.count),
                 "write i/n with i from 0 to n - 1, or from 1 to n"};
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
  return FleetRun(std::move(state));
}

Result<FleetOutcome> FleetRun::map() {
  return state_->after(state_->map(), false);
}

Result<FleetOutcome> FleetRun::reduce() {
  return state_->after(state_->each_robot("reduce", &State::reduce_robot), false);
}

Result<FleetOutcome> FleetRun::solve() {
  return state_->after(state_->each_robot("solve", &State::solve_robot), true);
}

Result<FleetOutcome> FleetRun::run() {
  State& state = *state_;
  state.store.note("run", {{"manifest", state.plan.manifest.path}, {"robots", state.plan.robots.size()}});
  HEFT_CHECK(state.map());
  Result<Done> solved = state.each_robot("solve", &State::solve_robot);
  if (solved && state.has_lost_leaves) {
    state.claimed.clear();
    HEFT_CHECK(state.map());
    solved = state.each_robot("solve", &State::solve_robot);
  }
  HEFT_TRY(outcome, state.after(solved, true));
  state.store.note("end", {{"done", outcome.count(RobotState::done)},
                           {"failed", outcome.count(RobotState::failed)},
                           {"missing", outcome.count(RobotState::missing)}});
  return std::move(outcome);
}

Result<FleetOutcome> FleetRun::report() {
  return state_->report();
}

FleetOutcome FleetRun::status() {
  state_->look_at_all(nullptr);
  return state_->all;
}

Result<FleetForecast> FleetRun::forecast() {
  State& state = *state_;
  FleetForecast forecast{.num_robots = state.plan.robots.size()};
  double map_s = 0, solve_s = 0;
  std::set<std::pair<std::string, std::string>> models;
  for (const FleetRobot& robot : state.plan.robots) models.emplace(robot.robot, robot.config);
  const bool judges = models.size() <= kMostSetupsToJudge;
  for (const FleetRobot& robot : state.plan.robots) {
    forecast.num_training += robot.training.size();
    forecast.num_validation += robot.validation.size();
    if (!robot.has_answer || !robot.errors.empty()) ++forecast.num_failing;
    if (!robot.has_answer) continue;
    std::vector<std::string> digests;
    bool is_known = true;
    double bytes = 0;
    std::size_t num_new = 0;
    std::shared_ptr<const RobotSetup> setup;
    if (judges) {
      auto made = state.setups.of(robot.robot, robot.config);
      if (!made) {
        if (robot.errors.empty()) ++forecast.num_failing;
        continue;
      }
      setup = *made;
    }
    for (const auto* rows : {&robot.training, &robot.validation})
      for (const std::size_t index : *rows) {
        const FleetRow& row = state.plan.manifest.rows[index];
        std::error_code ignored;
        const double size = static_cast<double>(fs::file_size(row.log, ignored));
        bytes += size;
        const auto digest = state.digests.of(row.log, false);
        const bool knows = digest && !digest->empty();
        if (!knows) ++forecast.num_unknown, is_known = false;
        if (row.validates) continue;
        if (knows && setup && setup->by_leaves && state.store.has(Kind::leaf, setup->leaf_key(*digest, row)))
          continue;
        ++num_new;
        forecast.num_bytes += size;
        map_s += kSecondsPerLog + size / kMapBytesPerSecond;
      }
    forecast.num_leaves += num_new;
    if (is_known && num_new == 0 && setup && state.known(robot).state == RobotState::done) continue;
    ++forecast.num_answers;
    solve_s += kSecondsPerRobot + bytes / kSolveBytesPerSecond;
  }
  forecast.jobs = state.pool.num_threads();
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  forecast.seconds = (map_s + solve_s) / std::min(forecast.jobs, cores);
  forecast.memory_mb = kProcess_mb + forecast.jobs * std::max(kMap_mb, kSolve_mb) +
                       1e-3 * static_cast<double>(state.plan.manifest.rows.size());
  forecast.disk_mb =
      kLeaf_mb * static_cast<double>(forecast.num_leaves) +
      (state.options.writes_pages ? kPage_mb : 0.1) * static_cast<double>(forecast.num_answers);
  return forecast;
}

Result<std::vector<std::string>> FleetRun::garbage() {
  State& state = *state_;
  std::set<std::string> needed;
  for (const FleetRobot& robot : state.plan.robots) {
    needed.insert(state.results_of(robot));
    auto found = state.resolved(robot, false, {});
    if (found && !found->is_known)
      return Error{fmt::format("robot '{}'", robot.id),
                   "has logs that the store does not know yet: nobody can say what it needs",
                   "run the fleet to its end first"};
    if (!found || !found->setup || found->input.training.empty()) continue;
    for (const auto* digests : {&found->training_digests, &found->validation_digests})
      for (const std::string& digest : *digests) needed.insert(state.store.path(Kind::owner, digest));
    needed.insert(state.store.path(Kind::failure, robot_name(robot)));
    if (found->setup->by_leaves) {
      std::vector<bool> is_there;
      for (const std::string& key : found->input.leaf_keys) {
        is_there.push_back(state.store.has(Kind::leaf, key));
        needed.insert(state.store.path(is_there.back() ? Kind::leaf : Kind::failure, key));
      }
      keep_leaves(*found, is_there);
      if (found->input.training.empty()) continue;
      for (const TrieNode& node : trie_of(found->input.leaf_keys))
        needed.insert(state.store.path(Kind::node, node.key));
    }
    needed.insert(state.store.path(Kind::answer, found->answer_key()));
  }
  std::vector<std::string> garbage;
  std::error_code ignored;
  for (const char* folder : {"leaves", "nodes", "answers", "owners", "failures", "aside"})
    for (const fs::directory_entry& entry :
         fs::recursive_directory_iterator(state.store.path(folder), ignored))
      if (!entry.is_directory(ignored) && !needed.contains(entry.path().string()))
        garbage.push_back(entry.path().string());
  for (const fs::directory_entry& entry : fs::directory_iterator(state.store.path("results"), ignored))
    if (!needed.contains(entry.path().string())) garbage.push_back(entry.path().string());
  std::sort(garbage.begin(), garbage.end());
  return garbage;
}

}  // namespace heft
