#include "fleet/pieces.hpp"

#include <filesystem>
#include <set>

#include "fleet_populations.hpp"
#include "leaf.hpp"
#include "resolved_robot.hpp"
#include "result_options.hpp"
#include "trie.hpp"

namespace heft {

namespace {

using Kind = FleetStore::Kind;

class PieceNames {
 public:
  PieceNames(const FleetPlan& plan, const FleetOptions& options, FleetStore store)
      : plan_(plan),
        options_(options),
        store_(std::move(store)),
        setups_(options.configuration_of),
        digests_(store_) {}

  Result<std::vector<std::string>> of(PieceStage stage) {
    if ((stage == PieceStage::solve || stage == PieceStage::population) &&
        any_robot_uses_population_prior(plan_, options_))
      find_populations();
    if (stage == PieceStage::population) add_populations();
    std::size_t place = 0;  // of a row, as map() counts them
    for (std::size_t r = 0; r < plan_.robots.size(); ++r) {
      const FleetRobot& robot = plan_.robots[r];
      const bool takes_robot = options_.shard.takes(r) && robot.has_answer;
      for (const auto* rows : {&robot.training, &robot.validation})
        for (const std::size_t row : *rows) {
          const bool takes_row = options_.shard.takes(place++) && robot.has_answer;
          // stages after map also know a robot's logs, and a shard has rows of other robots
          if (stage == PieceStage::digests && (takes_row || takes_robot))
            add(Kind::digest, digests_.name_of(plan_.manifest.rows[row].log));
          if (stage == PieceStage::map && takes_row)
            HEFT_CHECK(add_row(robot, plan_.manifest.rows[row]));
        }
      if ((stage == PieceStage::reduce || stage == PieceStage::solve) && takes_robot)
        HEFT_CHECK(add_robot(robot, stage));
    }
    return std::vector<std::string>(names_.begin(), names_.end());
  }

 private:
  /// The name of a robot's prior covers all robots of its population.
  void find_populations() {
    for (std::size_t r = 0; r < plan_.robots.size(); ++r) {
      auto found = resolve(plan_, plan_.robots[r], setups_, digests_, true, options_.progress);
      if (!found || !found->setup || !found->has_answer || !uses_population_prior(*found->setup))
        continue;
      const bool is_mapped =
          keep_leaves_that_are_there(*found, store_).is_mapped && found->is_known;
      populations_.add(r, *found, is_mapped);
    }
    populations_.close();
  }

  void add(Kind kind, const std::string& key) {
    if (!key.empty())
      names_.insert(std::filesystem::path(store_.path(kind, key))
                        .lexically_relative(store_.folder())
                        .string());
  }

  void add_log(const std::string& digest) { add(Kind::owner, digest); }

  void add_leaf(const std::string& key) { add(Kind::leaf, key), add(Kind::failure, key); }

  Result<Done> add_row(const FleetRobot& robot, const FleetRow& row) {
    const auto digest = digests_.of(row.log, true, options_.progress);
    if (!digest) return digest.error().is_stop ? Result<Done>(digest.error()) : Done{};
    add_log(*digest);
    if (row.validates) return Done{};
    const auto setup = setups_.of(robot.robot, robot.config, options_.progress);
    if (setup && (*setup)->by_leaves) add_leaf((*setup)->leaf_key(*digest, row));
    return Done{};
  }

  /// Inputs and outputs of the shard's populations. Missing sums are computed from the nodes below
  /// them.
  void add_populations() {
    for (std::size_t f = 0; f < populations_.all().size(); ++f) {
      const FleetPopulation& population = populations_.all()[f];
      if (!population.is_one() || !population.is_mapped || !options_.shard.takes(f)) continue;
      bool is_done = true;
      for (const std::string& root : population.roots) {
        const std::string key = population_prior_key(population.key, root);
        is_done = is_done && store_.has(Kind::prior, key);
        add(Kind::prior, key);
      }
      for (std::size_t k = 0; k < population.robots.size() && !is_done; ++k) {
        auto found = resolve(plan_, plan_.robots[population.robots[k]], setups_, digests_, true,
                             options_.progress);
        if (!found) continue;
        keep_leaves_that_are_there(*found, store_);
        const bool has_sum =
            found->input.leaf_keys.size() > 1 && store_.has(Kind::node, population.roots[k]);
        if (has_sum) add(Kind::node, population.roots[k]);
        if (!has_sum || k < kMaxForCorrelation)
          for (const std::string& key : found->input.leaf_keys) add(Kind::leaf, key);
      }
    }
  }

  Result<Done> add_robot(const FleetRobot& robot, PieceStage stage) {
    auto found = resolve(plan_, robot, setups_, digests_, true, options_.progress);
    if (!found) return stopped();
    for (const auto* digests : {&found->training_digests, &found->validation_digests})
      for (const std::string& digest : *digests) add_log(digest);
    if (!found->has_answer || found->input.training.empty()) return Done{};
    add(Kind::failure, failure_name_of(robot));
    if (stage == PieceStage::solve) names_.insert("results/" + robot.folder + "/");
    if (found->setup->by_leaves) {
      for (const std::string& key : found->input.leaf_keys) add_leaf(key);
      std::vector<bool> counts;
      for (const std::string& key : found->input.leaf_keys)
        counts.push_back(store_.has(Kind::leaf, key) || !store_.has(Kind::failure, key));
      keep_leaves(*found, counts);
      if (found->input.training.empty()) return Done{};
      const bool is_for_population =
          stage == PieceStage::reduce && uses_population_prior(*found->setup);
      if (keeps_sums(found->input.leaf_keys.size()) || is_for_population)
        for (const TrieNode& node : trie_of(found->input.leaf_keys))
          if (!node.is_leaf()) add(Kind::node, node.key);
    }
    if (stage == PieceStage::reduce) return Done{};
    if (const FleetPopulation* population = populations_.of(*found)) {
      found->input.population = population->key;
      add(Kind::prior, population_prior_key(population->key, found->input.root));
    }
    add(Kind::answer, found->answer_key());
    return Done{};
  }

  const FleetPlan& plan_;
  const FleetOptions& options_;
  FleetStore store_;
  RobotSetups setups_;
  LogDigests digests_;
  FleetPopulations populations_;
  std::set<std::string> names_;
};

}  // namespace

Result<std::vector<std::string>> pieces_of(const FleetPlan& plan, const FleetOptions& options,
                                           PieceStage stage) {
  HEFT_TRY(store, FleetStore::open(options.store, StoreUse::make));
  return PieceNames(plan, options, std::move(store)).of(stage);
}

Result<FleetTerms> terms_of(const FleetPlan& plan, const FleetOptions& options) {
  HEFT_CHECK(FleetStore::open(options.store, StoreUse::look));
  HEFT_TRY(digest, digest_of_options(options));
  return FleetTerms{digest, any_robot_uses_population_prior(plan, options)};
}

}  // namespace heft
