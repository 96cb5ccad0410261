#include "resolved_robot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "overlap.hpp"
#include "trie.hpp"

namespace heft {

namespace {

/// Puts `rows`, `digests` and `keys` in the order of the keys.
void sort_by_keys(std::vector<FleetRow>& rows, std::vector<std::string>& digests,
                  std::vector<std::string>& keys) {
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  const auto permuted = [&](const auto& list) {
    auto sorted = list;
    for (std::size_t k = 0; k < order.size(); ++k) sorted[k] = list[order[k]];
    return sorted;
  };
  rows = permuted(rows), digests = permuted(digests), keys = permuted(keys);
}

}  // namespace

std::optional<ResolvedRobot> resolve(const FleetPlan& plan, const FleetRobot& robot, RobotSetups& setups,
                                     LogDigests& digests, bool reads, const Progress& progress) {
  ResolvedRobot resolved;
  resolved.has_answer = robot.has_answer;
  if (!robot.has_answer) return resolved;
  const auto hopeless = [&](const Error& error) {
    resolved.errors.push_back(error);
    resolved.has_answer = false;
  };
  auto setup = setups.of(robot.robot, robot.config, progress);
  if (!setup) {
    if (setup.error().is_stop) return {};
    hopeless(setup.error());
    return resolved;
  }
  resolved.setup = *setup;
  const auto place = [&](const FleetRow& row) { return fmt::format("{}:{}", plan.manifest.path, row.line); };
  for (const bool validates : {false, true}) {
    auto& rows = validates ? resolved.input.validation : resolved.input.training;
    auto& known = validates ? resolved.validation_digests : resolved.training_digests;
    auto& keys = validates ? resolved.input.validation_keys : resolved.input.leaf_keys;
    std::map<std::string, const FleetRow*> seen;
    // doubles are the same whichever comes first; the path that counts must not hang on the order of rows
    std::vector<const FleetRow*> listed;
    for (const std::size_t index : validates ? robot.validation : robot.training)
      listed.push_back(&plan.manifest.rows[index]);
    std::sort(listed.begin(), listed.end(),
              [](const FleetRow* a, const FleetRow* b) { return a->log < b->log; });
    for (const FleetRow* listed_row : listed) {
      const FleetRow& row = *listed_row;
      const auto digest = digests.of(row.log, reads, progress);
      if (!digest && digest.error().is_stop) return {};
      if (!digest) {
        resolved.errors.push_back(digest.error());
        continue;
      }
      if (digest->empty()) {
        resolved.is_known = false;
        continue;
      }
      if (!row.sha256.empty() && row.sha256 != *digest) {
        resolved.errors.push_back(
            {place(row),
             fmt::format("log '{}' is not the one that the manifest means: its SHA-256 is {}", row.log,
                         *digest),
             "bring the right log, or mend the column sha256"});
        continue;
      }
      const std::string key = validates || !resolved.setup->by_leaves
                                  ? *digest + window_text(row)
                                  : resolved.setup->leaf_key(*digest, row);
      const auto [found, is_new] = seen.emplace(key, &row);
      if (!is_new) {
        resolved.notes.push_back(fmt::format("log '{}' (line {}) is '{}' (line {}) once more: it counts once",
                                             row.log, row.line, found->second->log, found->second->line));
        continue;
      }
      rows.push_back(row), known.push_back(*digest), keys.push_back(key);
    }
    sort_by_keys(rows, known, keys);
  }
  for (std::size_t v = 0; v < resolved.input.validation.size(); ++v)
    for (std::size_t t = 0; t < resolved.input.training.size(); ++t)
      if (resolved.validation_digests[v] == resolved.training_digests[t] &&
          overlap(resolved.input.training[t], resolved.input.validation[v])) {
        hopeless(leak_of(resolved.input.training[t], resolved.input.validation[v], plan.manifest.path));
        return resolved;
      }
  if (resolved.input.training.empty()) {
    if (resolved.is_known)
      hopeless({fmt::format("robot '{}'", robot.id), "has no log that can be used", "see its other errors"});
    return resolved;
  }
  if (resolved.setup->by_leaves) {
    resolved.input.root = trie_of(resolved.input.leaf_keys).back().key;
  } else {
    std::string text;
    for (const std::string& key : resolved.input.leaf_keys) text += key + "\n";
    resolved.input.root = digest_of("heft-fleet-whole-1\n" + text);
  }
  return resolved;
}

}  // namespace heft
