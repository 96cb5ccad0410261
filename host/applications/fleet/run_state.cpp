#include "run_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/parallel_for.hpp"
#include "costs.hpp"
#include "executor/device_errors.hpp"
#include "file_stamp.hpp"
#include "read_together.hpp"
#include "result_folder.hpp"
#include "trie.hpp"

namespace heft {

namespace fs = std::filesystem;

namespace {

using Kind = FleetStore::Kind;

constexpr int kMaxJobs = 4096;
// workers that wait for a device: as many as its waves are large, even with few jobs
constexpr int kWorkersPerJob = 8, kWorkersOfWave = 64;

}  // namespace

FleetRun::State::State(FleetPlan fleet, FleetOptions given, FleetStore opened)
    : plan(std::move(fleet)),
      options(std::move(given)),
      store(std::move(opened)),
      setups(options.configuration_of),
      digests(store),
      pool(options.jobs, options.time_s, options.progress),
      seen(plan.robots.size()),
      next_looks(plan.robots.size()),
      solver(pool.num_threads()),
      hopeless(plan.robots.size()) {}

Result<Done> FleetRun::State::stay_within_memory() {
  const FleetRobot* largest = nullptr;
  double most_mb = 0;
  for (const FleetRobot& robot : plan.robots) {
    if (!robot.has_answer) continue;
    const auto setup = setups.of(robot.robot, robot.config);
    if (!setup) continue;  // reported when the robot is processed
    const double mb = working_mb(**setup, robot.training.size());
    if (mb > most_mb) most_mb = mb, largest = &robot;
  }
  const double left_mb = options.memory_mb - kProcess_mb;
  if (!largest) return Done{};
  if (left_mb < most_mb)
    return Error{
        "--memory",
        fmt::format("robot '{}' alone takes about {:.0f} MB", largest->id, kProcess_mb + most_mb),
        "give at least this much, or omit the option for no limit"};
  pool.limit_threads(static_cast<int>(std::min(left_mb / most_mb, static_cast<double>(kMaxJobs))));
  largest_mb = most_mb;
  return Done{};
}

int FleetRun::State::num_workers_on_device() const {
  const int jobs = pool.num_threads(), most = std::max(kWorkersPerJob * jobs, kWorkersOfWave);
  if (options.memory_mb <= 0) return most;
  const double left_mb = options.memory_mb - kProcess_mb - jobs * largest_mb;
  return std::clamp(jobs + static_cast<int>(std::max(0.0, left_mb) / kTogether_mb), jobs, most);
}

std::string FleetRun::State::results_of(const FleetRobot& robot) const {
  return store.path((fs::path("results") / robot.folder).string());
}

std::optional<ResolvedRobot> FleetRun::State::resolved(const FleetRobot& robot, bool reads,
                                                       const Progress& progress) {
  auto found = resolve(plan, robot, setups, digests, reads, progress);
  if (!found) return found;
  for (const Error& error : found->errors)
    if (ends_with_device(error)) return {};
  found->input.accepted = options.accepted, found->input.writes_page = options.writes_pages;
  return found;
}

bool FleetRun::State::join_population(ResolvedRobot& robot) const {
  const FleetPopulation* population = populations.of(robot);
  if (!population) return true;
  robot.input.population = population->key;
  return population->is_mapped;
}

void FleetRun::State::find_populations(bool reads, const Progress& progress) {
  populations = {};
  if (!any_robot_uses_population_prior(plan, options)) return;
  for (std::size_t r = 0; r < plan.robots.size(); ++r) {
    auto found = resolved(plan.robots[r], reads, progress);
    if (!found || !found->setup || !found->has_answer || !uses_population_prior(*found->setup))
      continue;
    const bool is_mapped = keep_leaves_that_are_there(*found, store).is_mapped && found->is_known;
    populations.add(r, *found, is_mapped);
  }
  populations.close();
}

RobotOutcome FleetRun::State::known(const FleetRobot& robot, std::optional<AnswerRecord>* record) {
  if (auto found = std::exchange(seen[place_of(robot)], std::nullopt); found && record) {
    *record = std::move(found->record);
    return std::move(found->outcome);
  }
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
    const LeafCheck leaves = keep_leaves_that_are_there(*found, store);
    outcome.errors.insert(outcome.errors.end(), leaves.failures.begin(), leaves.failures.end());
    if (!leaves.is_mapped) return outcome;
    if (found->input.training.empty()) return failed();
    if (!join_population(*found)) return outcome;
  }
  const std::string key = found->answer_key();
  if (record) *record = answer_record(results_of(robot), key, false, store);
  if (record ? !*record : !has_answer(results_of(robot), key, false, store)) {
    if (const auto failure = failure_of(store, failure_name_of(robot), key)) {
      outcome.errors.push_back(*failure);
      return failed();
    }
    return outcome;
  }
  outcome.state = outcome.errors.empty() ? RobotState::done : RobotState::failed;
  keep_look(robot, outcome, *found);
  return outcome;
}

bool FleetRun::State::sees_as_before(const FleetRobot& robot, const Progress& progress) {
  if (!robot.errors.empty() || !robot.notes.empty()) return false;
  const auto setup = setups.of(robot.robot, robot.config, progress);
  if (!setup || !(*setup)->by_leaves || uses_population_prior(**setup)) return false;
  const std::string fingerprint = fingerprint_of(
      robot, plan, **setup, options, [&](std::size_t row) { return text_of(plan.stamps[row]); });
  const RobotPieces* pieces = last_look.of(fingerprint);
  if (!pieces) return false;
  for (const std::string& key : pieces->leaf_keys)
    if (!store.has(Kind::leaf, key)) return false;
  for (const std::string& key : pieces->note_keys)
    if (!store.has(Kind::digest, key)) return false;
  if (!has_stamps(results_of(robot), pieces->result_stamps)) return false;
  auto record = stored_record(pieces->answer_key, store);
  if (!record) return false;
  next_looks[place_of(robot)] = NextLook{fingerprint, *pieces};
  seen[place_of(robot)] = Seen{{.state = RobotState::done}, std::move(*record)};
  return true;
}

void FleetRun::State::keep_look(const FleetRobot& robot, const RobotOutcome& outcome,
                                const ResolvedRobot& found) {
  auto& next = next_looks[place_of(robot)];
  next.reset();
  if (!found.setup->by_leaves || uses_population_prior(*found.setup)) return;
  // notes also concern other robots or name manifest lines
  if (outcome.state != RobotState::done || !outcome.notes.empty()) return;
  const std::string key = found.answer_key();
  auto stamps = stamps_of_results(results_of(robot), key, options.writes_pages);
  if (!stamps) return;  // such as the requested page
  NextLook look{.pieces = {key, found.input.leaf_keys, {}, std::move(*stamps)}};
  // uses the stamps taken before the bytes were read, so that it never matches newer logs
  look.fingerprint = fingerprint_of(robot, plan, *found.setup, options, [&](std::size_t row) {
    const auto known = digests.known(plan.manifest.rows[row].log);
    if (known) look.pieces.note_keys.push_back(known->note);
    return known ? known->stamp : std::string();
  });
  if (!look.fingerprint.empty()) next = std::move(look);
}

void FleetRun::State::write_looks() const {
  LastLook looks = pool.is_stopped() ? last_look : LastLook();
  for (const std::optional<NextLook>& one : next_looks)
    if (one) looks.add(one->fingerprint, one->pieces);
  looks.write(store);
}

std::string FleetRun::State::owner_of(const std::string& digest) const {
  {
    const std::lock_guard lock(owners_mutex);
    if (const auto known = owners.find(digest); known != owners.end()) return known->second;
  }
  std::string owner = store.text(Kind::owner, digest).value_or("");
  if (owner.empty()) return {};
  const std::lock_guard lock(owners_mutex);
  return owners[digest] = std::move(owner);
}

void FleetRun::State::note_moves(const FleetRobot& robot, const ResolvedRobot& found,
                                 std::vector<std::string>& notes) const {
  for (const bool validates : {false, true}) {
    const auto& rows = validates ? found.input.validation : found.input.training;
    const auto& known_as = validates ? found.validation_digests : found.training_digests;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const std::string owner = owner_of(known_as[k]);
      if (!owner.empty() && owner != robot.id)
        notes.push_back(
            fmt::format("log '{}' previously belonged to robot '{}'; check that it was "
                        "moved on purpose",
                        rows[k].log, owner));
    }
  }
}

void FleetRun::State::end_all(const Error& error) {
  const std::lock_guard lock(mutex);
  if (!fault) fault = error;
}

bool FleetRun::State::ends_with_device(const Error& error) {
  if (const auto failure = device_failure())
    end_all(*failure);
  else if (is_device_lost(error))
    end_all(error);
  else
    return false;
  return true;
}

bool FleetRun::State::is_at_fault() {
  const std::lock_guard lock(mutex);
  return fault.has_value();
}

Progress FleetRun::State::watched(const Progress& progress) {
  return [this, progress](const std::string& stage, double fraction) {
    return !is_at_fault() && progress(stage, fraction);
  };
}

void FleetRun::State::look_at_all(std::vector<std::optional<AnswerRecord>>* records) {
  find_populations(false, {});
  all.robots.assign(plan.robots.size(), {});
  if (records) records->assign(plan.robots.size(), {});
  parallel_for(static_cast<std::int64_t>(plan.robots.size()), pool.num_threads(),
               [&](std::int64_t r, int) {
                 const auto at = static_cast<std::size_t>(r);
                 RobotOutcome& robot = all.robots[at];
                 std::optional<AnswerRecord> record;
                 robot = known(plan.robots[at], &record);
                 if (record) {
                   robot.certified = record->is_certified;
                   for (const RecordedDoubt& doubt : record->doubts)
                     if (doubt.is_open) robot.open_doubts.push_back(doubt.words);
                 }
                 if (records) (*records)[at] = std::move(record);
               });
  all.is_stopped = pool.is_stopped();
}

}  // namespace heft
