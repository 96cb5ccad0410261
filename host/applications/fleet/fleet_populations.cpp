#include "fleet_populations.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "base/parallel_for.hpp"
#include "files/json_text.hpp"
#include "files/sha256.hpp"
#include "heft/config/module_options.hpp"
#include "heft/solve/least_squares.hpp"
#include "leaf.hpp"
#include "population/noise.hpp"
#include "population_piece.hpp"
#include "training/folds.hpp"
#include "trie.hpp"

namespace heft {

namespace {

using Json = nlohmann::ordered_json;
using Kind = FleetStore::Kind;

/// Robots beyond this number receive the population prior without contributing to it: its mean is
/// already accurate enough.
constexpr std::size_t kMaxTeachers = 256;
constexpr double kTeachers_bytes = 100e6;  ///< about what is kept of them
constexpr int kBlocksForCorrelation = 12;

std::size_t most_teachers(int num_parameters) {
  const double each = 2 * 8.0 * num_parameters * num_parameters;
  return static_cast<std::size_t>(
      std::clamp(kTeachers_bytes / each, 16.0, static_cast<double>(kMaxTeachers)));
}

/// 1 / s_c^2 of the contributing robots, from their sums.
Result<std::vector<Eigen::VectorXd>> channel_weights(const std::vector<ResolvedRobot>& found,
                                                     std::size_t num_teachers,
                                                     const FleetStore& store, int num_threads,
                                                     const Progress& progress) {
  const auto of = [&](const ResolvedRobot& robot) -> Result<Eigen::VectorXd> {
    const EstimationOptions options = estimation_options(robot.setup->configuration);
    HEFT_TRY(sum,
             kept_sum_of_leaves(trie_of(robot.input.leaf_keys), *robot.setup, store, progress));
    return weights_of_residuals(sum, options.weighting_passes, options.rank_cut);
  };
  std::vector<Result<Eigen::VectorXd>> all(num_teachers, Error{});
  parallel_for(static_cast<std::int64_t>(num_teachers), num_threads, [&](std::int64_t k, int) {
    const auto at = static_cast<std::size_t>(k);
    all[at] = of(found[at]);
  });
  std::vector<Eigen::VectorXd> weights;
  for (auto& one : all) {
    if (!one) return one.error();
    weights.push_back(std::move(*one));
  }
  return weights;
}

struct LoadedRobot {
  PopulationRobot robot;
  std::vector<NormalEquations> blocks;  ///< if requested
};

Result<LoadedRobot> loaded(const ResolvedRobot& robot, const FleetStore& store,
                           const Eigen::VectorXd& most, bool with_blocks,
                           const Progress& progress) {
  const RobotSetup& setup = *robot.setup;
  const EstimationOptions options = estimation_options(setup.configuration);
  HEFT_TRY(sum, kept_sum_of_leaves(trie_of(robot.input.leaf_keys), setup, store, progress));
  HEFT_TRY(fit, fit_weighted(sum, options.weighting_passes, options.rank_cut));
  const Eigen::VectorXd weights = fit.channel_weights.cwiseMin(most);
  LoadedRobot made{{normal_equations(sum, weights), fit.weighted.x}, {}};
  if (!with_blocks) return made;
  HEFT_TRY(data, training_data_of(robot.input.training, robot.input.leaf_keys, {}, setup, store,
                                  progress));
  if (const auto blocks = independent_blocks(data, 2, kBlocksForCorrelation))
    for (const Moments& block : blocks->blocks)
      made.blocks.push_back(normal_equations(block, weights));
  return made;
}

/// Processes robots [begin, end) on threads; the first error stops all.
Result<std::vector<LoadedRobot>> load(const std::vector<ResolvedRobot>& found, std::size_t begin,
                                      std::size_t end, const FleetStore& store,
                                      const Eigen::VectorXd& most, int num_threads,
                                      const Progress& progress) {
  std::vector<Result<LoadedRobot>> all(end - begin, Error{});
  parallel_for(static_cast<std::int64_t>(all.size()), num_threads, [&](std::int64_t k, int) {
    const std::size_t at = begin + static_cast<std::size_t>(k);
    all[static_cast<std::size_t>(k)] =
        loaded(found[at], store, most, at < kMaxForCorrelation, progress);
  });
  std::vector<LoadedRobot> robots;
  for (auto& one : all) {
    if (!one) return one.error();
    robots.push_back(std::move(*one));
  }
  return robots;
}

}  // namespace

bool any_robot_uses_population_prior(const FleetPlan& plan, const FleetOptions& options) {
  std::set<std::string> configurations;
  for (const FleetRobot& robot : plan.robots) configurations.insert(robot.config);
  return std::any_of(configurations.begin(), configurations.end(), [&](const std::string& path) {
    const auto configuration = options.configuration_of(path);
    return configuration && configuration->fleet.prior == FleetPrior::population;
  });
}

bool uses_population_prior(const RobotSetup& robot) {
  return robot.configuration.fleet.prior == FleetPrior::population && robot.by_leaves &&
         robot.setup.prior.kind == PriorKind::metric &&
         !estimation_options(robot.configuration).is_least_squares();
}

std::string population_prior_key(const std::string& population, const std::string& root) {
  return sha256_of("heft-fleet-prior-6\npopulation " + population + "\nrobot " + root + "\n");
}

void FleetPopulations::add(std::size_t place, const ResolvedRobot& robot, bool is_mapped) {
  if (!robot.setup || !uses_population_prior(*robot.setup)) return;
  auto population = std::find_if(
      populations_.begin(), populations_.end(),
      [&](const FleetPopulation& one) { return one.model == robot.setup->answer_text; });
  if (population == populations_.end())
    population =
        populations_.insert(populations_.end(), FleetPopulation{.model = robot.setup->answer_text});
  population->is_mapped = population->is_mapped && is_mapped;
  if (robot.input.training.empty()) return;
  population->robots.push_back(place), population->roots.push_back(robot.input.root);
  population->everybody.emplace_back(place, robot.input.root);
}

void FleetPopulations::close() {
  for (FleetPopulation& population : populations_) {
    std::vector<std::size_t> order(population.roots.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return population.roots[a] < population.roots[b];
    });
    FleetPopulation sorted{.model = population.model,
                           .everybody = std::move(population.everybody),
                           .is_mapped = population.is_mapped};
    std::string text = "heft-fleet-population-1\n" + population.model;
    for (const std::size_t k : order) {
      if (!sorted.roots.empty() && sorted.roots.back() == population.roots[k]) continue;
      sorted.robots.push_back(population.robots[k]), sorted.roots.push_back(population.roots[k]);
      text += "robot " + population.roots[k] + "\n";
    }
    sorted.key = sha256_of(text);
    population = std::move(sorted);
  }
}

const FleetPopulation* FleetPopulations::of(const ResolvedRobot& robot) const {
  if (!robot.setup || !uses_population_prior(*robot.setup)) return nullptr;
  for (const FleetPopulation& population : populations_)
    if (population.model == robot.setup->answer_text)
      return population.is_one() ? &population : nullptr;
  return nullptr;
}

Result<Done> make_population_priors(const FleetPopulation& population,
                                    const std::vector<ResolvedRobot>& found,
                                    const FleetStore& store, int num_threads,
                                    const Progress& progress) {
  const auto key = [&](std::size_t k) {
    return population_prior_key(population.key, population.roots[k]);
  };
  bool is_done = true;
  for (std::size_t k = 0; k < found.size(); ++k)
    is_done = is_done && store.has(Kind::prior, key(k));
  if (is_done) return Done{};
  const Setup& setup = found.front().setup->setup;
  const ParameterLayout& layout = setup.plan().layout;
  const std::size_t num_teachers = std::min(found.size(), most_teachers(layout.num_parameters()));
  HEFT_TRY(weights, channel_weights(found, num_teachers, store, num_threads, progress));
  const Eigen::VectorXd most = most_weights(weights);
  HEFT_TRY(teachers, load(found, 0, num_teachers, store, most, num_threads, progress));
  std::vector<PopulationRobot> robots;
  std::vector<std::vector<NormalEquations>> blocks;
  for (LoadedRobot& teacher : teachers) {
    robots.push_back(std::move(teacher.robot));
    if (!teacher.blocks.empty()) blocks.push_back(std::move(teacher.blocks));
  }
  const double rows_worth_one = pooled_rows_worth_one(blocks);
  HEFT_CHECK(report_progress(progress, "learning from the population", 0));
  HEFT_TRY(learned, Population::learn({layout, setup.prior, rows_worth_one}, std::move(robots),
                                      num_threads));
  for (std::size_t k = 0; k < num_teachers; ++k)
    HEFT_CHECK(store.put_sealed(Kind::prior, key(k),
                                to_json({learned.prior_of(k), rows_worth_one, most}).dump()));
  for (std::size_t k = num_teachers; k < found.size(); ++k) {
    HEFT_CHECK(report_progress(progress, "learning from the population", 0));
    HEFT_TRY(other, loaded(found[k], store, most, false, progress));
    HEFT_TRY(prior, learned.prior_of(other.robot));
    HEFT_CHECK(store.put_sealed(Kind::prior, key(k),
                                to_json({std::move(prior), rows_worth_one, most}).dump()));
  }
  return Done{};
}

Result<StoredPopulationPrior> read_population_prior(const FleetStore& store, const std::string& key,
                                                    const ParameterLayout& layout) {
  const std::string name = "prior " + key;
  if (!store.has(Kind::prior, key))
    return Error{name, "is not in the store", "run heft fleet population first, or heft fleet run"};
  if (const auto text = store.sealed_text(Kind::prior, key))
    if (auto stored = population_prior_from_json(parse_json<Json>(*text), layout))
      return std::move(*stored);
  store.put_aside(Kind::prior, key);
  return Error{name, "was damaged and has been set aside", "run again to recreate it"};
}

}  // namespace heft
