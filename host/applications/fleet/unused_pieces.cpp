// Finds the pieces of a store that no robot of the plan needs.
#include "run_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "trie.hpp"

namespace heft {

namespace fs = std::filesystem;

namespace {

using Kind = FleetStore::Kind;

Error unfinished(const FleetRobot& robot) {
  return {fmt::format("robot '{}'", robot.id),
          "has logs that are not in the store yet, so the pieces that it needs are unknown",
          "complete a run of the fleet first"};
}

}  // namespace

Result<std::vector<std::string>> FleetRun::garbage() {
  State& state = *state_;
  std::set<std::string> needed;
  state.find_populations(false, {});
  for (const FleetRobot& robot : state.plan.robots) {
    needed.insert(state.results_of(robot));
    auto found = state.resolved(robot, false, {});
    if (state.fault) return *state.fault;
    if (found && !found->is_known) return unfinished(robot);
    if (!found || !found->setup || found->input.training.empty()) continue;
    for (const auto* digests : {&found->training_digests, &found->validation_digests})
      for (const std::string& digest : *digests)
        needed.insert(state.store.path(Kind::owner, digest));
    needed.insert(state.store.path(Kind::failure, failure_name_of(robot)));
    if (found->setup->by_leaves) {
      for (const std::string& key : found->input.leaf_keys)
        needed.insert(
            state.store.path(state.store.has(Kind::leaf, key) ? Kind::leaf : Kind::failure, key));
      if (!keep_leaves_that_are_there(*found, state.store).is_mapped) return unfinished(robot);
      if (found->input.training.empty()) continue;
      state.join_population(*found);
      if (keeps_sums(found->input.leaf_keys.size()) || uses_population_prior(*found->setup))
        for (const TrieNode& node : trie_of(found->input.leaf_keys))
          needed.insert(state.store.path(Kind::node, node.key));
    }
    if (!found->input.population.empty())
      needed.insert(state.store.path(
          Kind::prior, population_prior_key(found->input.population, found->input.root)));
    needed.insert(state.store.path(Kind::answer, found->answer_key()));
  }
  std::vector<std::string> garbage;
  std::error_code ignored;
  for (const char* folder : {"leaves", "nodes", "priors", "answers", "owners", "failures", "aside"})
    for (const fs::directory_entry& entry :
         fs::recursive_directory_iterator(state.store.path(folder), ignored))
      if (!entry.is_directory(ignored) && !needed.contains(entry.path().string()))
        garbage.push_back(entry.path().string());
  // notes of logs in folders of two digits, as before
  for (const fs::directory_entry& entry :
       fs::directory_iterator(state.store.path("digests"), ignored))
    if (entry.path().filename().string().size() != kDigitsOfNotes)
      garbage.push_back(entry.path().string());
  for (const fs::directory_entry& entry :
       fs::directory_iterator(state.store.path("results"), ignored))
    if (!needed.contains(entry.path().string())) garbage.push_back(entry.path().string());
  for (const fs::directory_entry& entry : fs::directory_iterator(state.store.folder(), ignored))
    if (entry.path().filename().string().starts_with("results-"))
      garbage.push_back(entry.path().string());
  std::sort(garbage.begin(), garbage.end());
  return garbage;
}

}  // namespace heft
