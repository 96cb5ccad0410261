#include "leaf.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "files/whole_file.hpp"
#include "heft/training/training_data.hpp"
#include "readers/kept_rows.hpp"
#include "training/accumulate.hpp"
#include "windowed_log.hpp"

namespace heft {

namespace {

void set_plan(TrainingData& data, const PlanPtr& plan) {
  data.plan = plan;
  data.moments.plan = plan;
  for (MomentStretch& stretch : data.stretches) stretch.moments.plan = plan;
}

/// What a piece keeps of the data of one log or sum without stretches.
TrainingData sum_alone(const TrainingData& data) {
  return {.plan = data.plan,
          .options = data.options,
          .ellipsoids = data.ellipsoids,
          .logs = data.logs,
          .moments = data.moments};
}

/// Writes a moments file as a piece of the store.
Result<std::string> written_aside(const TrainingData& data, MomentsForm form,
                                  const FleetStore& store) {
  std::string temporary = store.aside(".heft");
  HEFT_TRY(bytes, moments_bytes(data, temporary, form));
  HEFT_CHECK(write_new_file(temporary, bytes));
  return temporary;
}

/// Sets an unreadable piece aside, so that the next run recreates it.
Result<TrainingData> read_piece(FleetStore::Kind kind, const std::string& key,
                                const RobotSetup& robot, const FleetStore& store) {
  const std::string name = (kind == FleetStore::Kind::leaf ? "leaf " : "node ") + key;
  if (!store.has(kind, key)) return Error{name, "is not in the store", "run heft fleet map first"};
  auto data = read_moments_file(store.path(kind, key));
  const auto damaged = [&](const std::string& why) {
    store.put_aside(kind, key);
    return Error{name, "was damaged and has been set aside: " + why, "run again to recreate it"};
  };
  if (!data) return damaged(data.error().what);
  if (data->moments.packed.size() != static_cast<std::size_t>(robot.setup.model.plan->packed_size))
    return damaged("it belongs to a robot other than the one in its name");
  set_plan(*data, robot.setup.model.plan);
  return std::move(*data);
}

/// The sum at a node: read if stored, otherwise computed from the nodes below; `keeps`: sums are
/// read from and written to the store.
Result<Moments> sum_at(const std::vector<TrieNode>& trie, int place, bool keeps,
                       const RobotSetup& robot, const FleetStore& store, const Progress& progress) {
  HEFT_CHECK(report_progress(progress, "summing", 0));
  const TrieNode& node = trie[static_cast<std::size_t>(place)];
  if (node.is_leaf()) {
    HEFT_TRY(data, read_piece(FleetStore::Kind::leaf, node.key, robot, store));
    return std::move(data.moments);
  }
  if (keeps && store.has(FleetStore::Kind::node, node.key))
    if (auto data = read_piece(FleetStore::Kind::node, node.key, robot, store))
      return std::move(data->moments);  // otherwise it is recomputed here
  HEFT_TRY(sum, sum_at(trie, node.left, keeps, robot, store, progress));
  HEFT_TRY(other, sum_at(trie, node.right, keeps, robot, store, progress));
  HEFT_CHECK(add(sum, other));
  if (!keeps) return std::move(sum);
  TrainingData data{.plan = robot.nameless_plan, .options = robot.leaf_options, .moments = sum};
  data.moments.plan = robot.nameless_plan;
  HEFT_TRY(temporary, written_aside(data, MomentsForm::compact, store));
  HEFT_CHECK(store.put(FleetStore::Kind::node, node.key, temporary));
  return std::move(sum);
}

/// The same for leaves that are all in memory.
Result<Moments> sum_in_memory(const std::vector<TrieNode>& trie, int place,
                              std::map<std::string, Moments>& leaves) {
  const TrieNode& node = trie[static_cast<std::size_t>(place)];
  if (node.is_leaf()) return std::move(leaves.at(node.key));
  HEFT_TRY(sum, sum_in_memory(trie, node.left, leaves));
  HEFT_TRY(other, sum_in_memory(trie, node.right, leaves));
  HEFT_CHECK(add(sum, other));
  return std::move(sum);
}

/// Sums a log; conditioned samples of at most `most_kept` bytes are kept.
Result<MadeLeaf> summed(const FleetRow& row, const std::string& sha256, double most_kept,
                        const RobotSetup& robot, const Progress& progress,
                        const std::shared_ptr<RobotConditioner>& device, LogsInMemory* read) {
  std::optional<LogInMemory> conditioned = read ? read->take(row) : std::nullopt;
  const auto opened = [&]() -> Result<Log> {
    if (conditioned) return conditioned->log;
    return windowed_log(row, robot);
  };
  HEFT_TRY(log, opened());
  // rows take less space than the samples made of them
  if (most_kept > 0 && !conditioned)
    log = with_kept_rows(log, std::make_shared<RowMemory>(most_kept));
  SampleSource source({log}, robot.setup.model, robot.gathering);
  source.keep_at_most(most_kept);
  source.condition_by(device);
  if (conditioned) {
    std::vector<ConditionedLog> samples;
    samples.push_back(std::move(conditioned->samples));
    source.hold(std::move(samples));
  }
  auto accumulated = accumulate(source, robot.setup.model.plan, *robot.backend, progress, {},
                                robot.most_stretches);
  if (device) device->count(source.on_device());
  HEFT_TRY(data, std::move(accumulated));
  if (data.logs.size() != 1 || data.logs.front().sha256 != sha256)
    return Error{row.log, "changed while it was read", "run again when it is complete"};
  data.options = robot.leaf_options;
  // a leaf depends on bytes, not paths, and keeps only what a moments file stores
  data.logs.front().path = "sha256:" + sha256;
  data.logs.front().filled.clear();
  data.logs.front().bridged.clear();
  data.logs.front().losses.clear();
  data.logs.front().reading = {};
  set_plan(data, robot.nameless_plan);
  MadeLeaf leaf{.data = std::move(data), .log = source.take()};
  if (leaf.log && leaf.log->bytes > most_kept) leaf.log.reset();
  if (leaf.log) leaf.rows = std::move(log);
  return leaf;
}

/// Whether a leaf of the store has fewer stretches than summing its log again gives.
bool lacks_stretches(const TrainingData& leaf, const RobotSetup& robot) {
  return leaf.is_compact() && leaf.logs.size() == 1 && !keeps_stretches(leaf.logs.front(), robot);
}

/// A leaf, new or from the store; if it must have its stretches, also from the log of `row`.
Result<TrainingData> leaf_of(const FleetRow& row, const std::string& key, bool needs_stretches,
                             MadeLeaves& made, const RobotSetup& robot, const FleetStore& store,
                             const Progress& progress,
                             const std::shared_ptr<RobotConditioner>& device) {
  auto found = made.find(key);
  if (found == made.end()) {
    HEFT_TRY(stored, read_piece(FleetStore::Kind::leaf, key, robot, store));
    if (!needs_stretches || !lacks_stretches(stored, robot)) return std::move(stored);
    HEFT_TRY(again, summed(row, stored.logs.front().sha256, 0, robot, progress, device, nullptr));
    found = made.emplace(key, std::move(again)).first;
  }
  TrainingData leaf = std::move(found->second.data);
  set_plan(leaf, robot.setup.model.plan);
  return leaf;
}

/// Splits the largest subtrees until there are as many as error bars need blocks.
std::vector<int> subtrees_of(const std::vector<TrieNode>& trie, std::size_t enough) {
  std::vector<int> places = {static_cast<int>(trie.size()) - 1};
  while (places.size() < enough) {
    const auto leaves = [&](int place) { return trie[static_cast<std::size_t>(place)].num_leaves; };
    const auto largest = std::max_element(places.begin(), places.end(),
                                          [&](int a, int b) { return leaves(a) < leaves(b); });
    const TrieNode& node = trie[static_cast<std::size_t>(*largest)];
    if (node.is_leaf()) break;
    *largest = node.left;
    places.insert(largest + 1, node.right);
  }
  return places;
}

}  // namespace

bool keeps_stretches(const LogSummary& log, const RobotSetup& robot) {
  const RegressorPlan& plan = robot.setup.plan();
  // positions, velocities, accelerations; torques and their weights
  const double of_sample = 3.0 * plan.robot.num_coordinates() + 2.0 * plan.num_channels();
  const double of_stretches = static_cast<double>(robot.most_stretches) * plan.packed_size;
  return of_stretches <= kMostOfLog * of_sample * static_cast<double>(log.num_samples);
}

Result<MadeLeaf> make_leaf(const FleetRow& row, const std::string& sha256, double most_kept,
                           const RobotSetup& robot, const FleetStore& store,
                           const Progress& progress,
                           const std::shared_ptr<RobotConditioner>& device, LogsInMemory* read) {
  HEFT_TRY(leaf, summed(row, sha256, most_kept, robot, progress, device, read));
  HEFT_TRY(temporary, keeps_stretches(leaf.data.logs.front(), robot)
                          ? written_aside(leaf.data, MomentsForm::whole, store)
                          : written_aside(sum_alone(leaf.data), MomentsForm::compact, store));
  leaf.temporary = std::move(temporary);
  return std::move(leaf);
}

Result<Done> add_stretches(const std::vector<FleetRow>& rows, const std::vector<std::string>& keys,
                           MadeLeaves& made, const RobotSetup& robot, const FleetStore& store,
                           const Progress& progress,
                           const std::shared_ptr<RobotConditioner>& device, LogsInMemory* read) {
  if (keeps_sums(keys.size())) return Done{};
  double may_keep = kMaxKept;  // samples of all logs, or of none
  for (const auto& [key, leaf] : made) may_keep = leaf.log ? may_keep - leaf.log->bytes : 0;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    if (made.contains(keys[k])) continue;
    auto stored = read_piece(FleetStore::Kind::leaf, keys[k], robot, store);
    if (!stored) return Done{};
    MadeLeaf leaf{.data = std::move(*stored)};
    if (lacks_stretches(leaf.data, robot)) {
      HEFT_TRY(again, summed(rows[k], leaf.data.logs.front().sha256, may_keep, robot, progress,
                             device, read));
      leaf = std::move(again);
    }
    may_keep = leaf.log ? may_keep - leaf.log->bytes : 0;
    made.emplace(keys[k], std::move(leaf));
  }
  return Done{};
}

void use_kept_rows(const std::vector<std::string>& keys, const MadeLeaves& made,
                   std::vector<Log>& logs) {
  for (std::size_t k = 0; k < std::min(keys.size(), logs.size()); ++k)
    if (const auto found = made.find(keys[k]); found != made.end() && found->second.rows)
      logs[k] = *found->second.rows;
}

std::vector<ConditionedLog> take_logs(const std::vector<std::string>& keys, MadeLeaves& made) {
  std::vector<ConditionedLog> logs;
  for (const std::string& key : keys) {
    const auto found = made.find(key);
    if (found == made.end() || !found->second.log) return {};
    logs.push_back(*std::exchange(found->second.log, std::nullopt));
  }
  return logs;
}

Result<Moments> sum_of_leaves(const std::vector<TrieNode>& trie, const RobotSetup& robot,
                              const FleetStore& store, const Progress& progress) {
  const bool keeps = keeps_sums(static_cast<std::size_t>(trie.back().num_leaves));
  return sum_at(trie, static_cast<int>(trie.size()) - 1, keeps, robot, store, progress);
}

Result<Moments> kept_sum_of_leaves(const std::vector<TrieNode>& trie, const RobotSetup& robot,
                                   const FleetStore& store, const Progress& progress) {
  return sum_at(trie, static_cast<int>(trie.size()) - 1, true, robot, store, progress);
}

Result<TrainingData> training_data_of(const std::vector<FleetRow>& rows,
                                      const std::vector<std::string>& keys, MadeLeaves made,
                                      const RobotSetup& robot, const FleetStore& store,
                                      const Progress& progress,
                                      const std::shared_ptr<RobotConditioner>& device) {
  const PlanPtr& plan = robot.setup.model.plan;
  TrainingData data{
      .plan = plan, .options = robot.gathering.record, .ellipsoids = robot.setup.ellipsoids};
  std::optional<Error> damage;
  const bool has_many = keeps_sums(keys.size());
  std::map<std::string, Moments> few;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    HEFT_CHECK(report_progress(progress, "summing", 0));
    auto leaf = leaf_of(rows[k], keys[k], !has_many, made, robot, store, progress, device);
    if (!leaf) {  // the others are checked, too, so that all damaged ones are recreated at
                  // once
      if (!damage) damage = leaf.error();
      continue;
    }
    for (LogSummary& log : leaf->logs) {
      log.path = rows[k].log;
      data.logs.push_back(std::move(log));
    }
    if (has_many) continue;
    for (MomentStretch& stretch : leaf->stretches) data.stretches.push_back(std::move(stretch));
    few.emplace(keys[k], std::move(leaf->moments));
  }
  if (damage) return *damage;
  const std::vector<TrieNode> trie = trie_of(keys);
  const int root = static_cast<int>(trie.size()) - 1;
  HEFT_TRY(sum, has_many ? sum_at(trie, root, true, robot, store, progress)
                         : sum_in_memory(trie, root, few));
  data.moments = std::move(sum);
  if (!has_many) return data;
  for (const int place : subtrees_of(trie, kManyLeaves)) {
    HEFT_TRY(part, sum_at(trie, place, true, robot, store, progress));
    const double num_rows = *std::max_element(part.num_rows.begin(), part.num_rows.end());
    data.stretches.push_back({std::move(part), static_cast<std::int64_t>(num_rows)});
  }
  return data;
}

}  // namespace heft
