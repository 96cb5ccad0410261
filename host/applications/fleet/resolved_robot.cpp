#include "resolved_robot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "failures.hpp"
#include "files/sha256.hpp"
#include "overlap.hpp"
#include "trie.hpp"

namespace heft {

namespace {

/// Puts `rows`, `digests` and `keys` in the order of the digests. Keys change with every version of
/// the numerics, and with them the logs that are neighbors in the blocks of the noise.
void sort_by_digests(std::vector<FleetRow>& rows, std::vector<std::string>& digests,
                     std::vector<std::string>& keys) {
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto place_of = [&](std::size_t k) {
    return std::tie(digests[k], rows[k].start_s, rows[k].end_s, rows[k].format);
  };
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return place_of(a) < place_of(b); });
  const auto permuted = [&](const auto& list) {
    auto sorted = list;
    for (std::size_t k = 0; k < order.size(); ++k) sorted[k] = list[order[k]];
    return sorted;
  };
  rows = permuted(rows), digests = permuted(digests), keys = permuted(keys);
}

/// Inputs of the resolution.
struct Context {
  const FleetPlan& plan;
  LogDigests& digests;
  bool reads;
  const Progress& progress;

  std::string place(const FleetRow& row) const {
    return fmt::format("{}:{}", plan.manifest.path, row.line);
  }
};

/// Usable rows of one role, sorted by path, so that the path chosen for duplicate logs does not
/// depend on the order of rows.
std::vector<const FleetRow*> listed_rows(const FleetPlan& plan,
                                         const std::vector<std::size_t>& places) {
  std::vector<const FleetRow*> listed;
  for (const std::size_t index : places) listed.push_back(&plan.manifest.rows[index]);
  std::sort(listed.begin(), listed.end(),
            [](const FleetRow* a, const FleetRow* b) { return a->log < b->log; });
  return listed;
}

/// Returns the digest of a row's log; empty if it is unusable, for the reason added to `resolved`.
/// Error: stopped().
Result<std::optional<std::string>> usable_digest(const FleetRow& row, const Context& context,
                                                 ResolvedRobot& resolved) {
  const auto digest = context.digests.of(row.log, context.reads, context.progress);
  if (!digest) {
    if (digest.error().is_stop) return digest.error();
    resolved.errors.push_back(digest.error());
    return std::optional<std::string>();
  }
  if (digest->empty()) {
    resolved.is_known = false;
    return std::optional<std::string>();
  }
  if (!row.sha256.empty() && row.sha256 != *digest) {
    resolved.errors.push_back(
        {context.place(row),
         fmt::format("log '{}' does not match the manifest: its SHA-256 is {}", row.log, *digest),
         "use the right log, or fix the column sha256"});
    return std::optional<std::string>();
  }
  return std::optional<std::string>(*digest);
}

/// The rows of one role, each log once, in the order of their digests. Error: stopped().
Result<Done> add_rows(const FleetRobot& robot, bool validates, const Context& context,
                      ResolvedRobot& resolved) {
  auto& rows = validates ? resolved.input.validation : resolved.input.training;
  auto& known = validates ? resolved.validation_digests : resolved.training_digests;
  auto& keys = validates ? resolved.input.validation_keys : resolved.input.leaf_keys;
  std::map<std::string, const FleetRow*> seen;
  for (const FleetRow* row :
       listed_rows(context.plan, validates ? robot.validation : robot.training)) {
    HEFT_TRY(digest, usable_digest(*row, context, resolved));
    if (!digest) continue;
    const std::string key = validates || !resolved.setup->by_leaves
                                ? *digest + window_text(*row)
                                : resolved.setup->leaf_key(*digest, *row);
    const auto [found, is_new] = seen.emplace(key, row);
    if (!is_new) {
      resolved.notes.push_back(
          fmt::format("log '{}' (line {}) is the same as '{}' (line {}) and counts once", row->log,
                      row->line, found->second->log, found->second->line));
      continue;
    }
    rows.push_back(*row), known.push_back(*digest), keys.push_back(key);
  }
  sort_by_digests(rows, known, keys);
  return Done{};
}

/// Reports a log that both trains and validates.
std::optional<Error> leak_in(const ResolvedRobot& resolved, const std::string& manifest) {
  const AnswerInput& input = resolved.input;
  for (std::size_t v = 0; v < input.validation.size(); ++v)
    for (std::size_t t = 0; t < input.training.size(); ++t)
      if (resolved.validation_digests[v] == resolved.training_digests[t] &&
          overlap(input.training[t], input.validation[v]))
        return leak_of(input.training[t], input.validation[v], manifest);
  return {};
}

std::string root_of(const ResolvedRobot& resolved) {
  const std::vector<std::string>& keys = resolved.input.leaf_keys;
  if (resolved.setup->by_leaves) return trie_of(keys).back().key;
  std::string text = "heft-fleet-whole-1\n";
  for (const std::string& key : keys) text += key + "\n";
  return sha256_of(text);
}

}  // namespace

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

LeafCheck keep_leaves_that_are_there(ResolvedRobot& robot, const FleetStore& store,
                                     const MadeLeaves& made) {
  LeafCheck check;
  std::vector<bool> is_there;
  for (const std::string& key : robot.input.leaf_keys) {
    is_there.push_back(made.contains(key) || store.has(FleetStore::Kind::leaf, key));
    if (is_there.back()) continue;
    if (const auto failure = failure_of(store, key, key))
      check.failures.push_back(*failure);
    else
      check.is_mapped = false;
  }
  keep_leaves(robot, is_there);
  return check;
}

std::optional<ResolvedRobot> resolve(const FleetPlan& plan, const FleetRobot& robot,
                                     RobotSetups& setups, LogDigests& digests, bool reads,
                                     const Progress& progress) {
  ResolvedRobot resolved;
  resolved.has_answer = robot.has_answer;
  if (!robot.has_answer) return resolved;
  const auto hopeless = [&](const Error& error) {
    resolved.errors.push_back(error);
    resolved.has_answer = false;
    return resolved;
  };
  auto setup = setups.of(robot.robot, robot.config, progress);
  if (!setup && setup.error().is_stop) return {};
  if (!setup) return hopeless(setup.error());
  resolved.setup = *setup;
  const Context context{plan, digests, reads, progress};
  for (const bool validates : {false, true})
    if (!add_rows(robot, validates, context, resolved)) return {};
  if (const auto leak = leak_in(resolved, plan.manifest.path)) return hopeless(*leak);
  if (!resolved.input.training.empty()) {
    resolved.input.root = root_of(resolved);
  } else if (resolved.is_known) {
    return hopeless(
        {fmt::format("robot '{}'", robot.id), "has no usable log", "see its other errors"});
  }
  return resolved;
}

std::string failure_name_of(const FleetRobot& robot) {
  return sha256_of("robot " + robot.id);
}

}  // namespace heft
