#include "leaf.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "files/whole_file.hpp"
#include "heft/training/training_data.hpp"
#include "training/accumulate.hpp"
#include "windowed_log.hpp"

namespace heft {

namespace {

void set_plan(TrainingData& data, const PlanPtr& plan) {
  data.plan = plan;
  data.moments.plan = plan;
  for (MomentStretch& stretch : data.stretches) stretch.moments.plan = plan;
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

/// A leaf, new or from the store.
Result<TrainingData> leaf_of(const std::string& key, MadeLeaves& made, const RobotSetup& robot,
                             const FleetStore& store) {
  const auto found = made.find(key);
  if (found == made.end()) return read_piece(FleetStore::Kind::leaf, key, robot, store);
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

Result<MadeLeaf> make_leaf(const FleetRow& row, const std::string& sha256, double most_kept,
                           const RobotSetup& robot, const FleetStore& store,
                           const Progress& progress) {
  SampleSource source({windowed_log(row)}, robot.setup.model, robot.gathering);
  source.keep_at_most(most_kept);
  HEFT_TRY(data, accumulate(source, robot.setup.model.plan, *robot.backend, progress, {},
                            robot.most_stretches));
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
  HEFT_TRY(temporary, written_aside(data, MomentsForm::whole, store));
  return MadeLeaf{std::move(data), source.take(), std::move(temporary)};
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
                                      const Progress& progress) {
  const PlanPtr& plan = robot.setup.model.plan;
  TrainingData data{
      .plan = plan, .options = robot.gathering.record, .ellipsoids = robot.setup.ellipsoids};
  std::optional<Error> damage;
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  const bool has_many = keeps_sums(keys.size());
  std::map<std::string, Moments> few;
  for (const std::size_t k : order) {
    HEFT_CHECK(report_progress(progress, "summing", 0));
    auto leaf = leaf_of(keys[k], made, robot, store);
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
