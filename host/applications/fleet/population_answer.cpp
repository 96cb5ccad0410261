#include "population_answer.hpp"

#include <algorithm>

#include "heft/solve/least_squares.hpp"
#include "uncertainty/nonnegative.hpp"
#include "uncertainty/quantiles.hpp"

namespace heft {

Result<std::optional<StoredPopulationPrior>> population_prior_of(const AnswerInput& input,
                                                                 const RobotSetup& robot,
                                                                 const FleetStore& store) {
  if (input.population.empty()) return std::optional<StoredPopulationPrior>();
  HEFT_TRY(stored, read_population_prior(store, population_prior_key(input.population, input.root),
                                         robot.setup.plan().layout));
  return std::optional<StoredPopulationPrior>(std::move(stored));
}

Result<Done> use_population_prior(const StoredPopulationPrior& population, const Moments& moments,
                                  Prior& prior, EstimationOptions& options) {
  if (population.prior.is_of_a_stranger()) return Done{};
  HEFT_TRY(own_weights, weights_of_residuals(moments, options.weighting_passes, options.rank_cut));
  options.most_weights = population.most_weights;
  const Eigen::VectorXd weights = own_weights.cwiseMin(population.most_weights);
  prior = with_population_prior(prior, population.prior, normal_equations(moments, weights),
                                population.rows_worth_one);
  options.chooses_weight_of_prior = false;
  options.uncertainty.bootstrap = 0;
  return Done{};
}

void put_intervals(const StoredPopulationPrior& population, Identification& answer) {
  if (!answer.optimum || population.prior.is_of_a_stranger()) return;
  Uncertainty& uncertainty = answer.optimum->uncertainty;
  const ParameterLayout& layout = answer.plan().layout;
  const Eigen::VectorXd& x = answer.answer().parameters;
  const double widths = normal_quantile(0.5 * (1 + uncertainty.confidence));
  uncertainty.prior_shares = population.prior.file_share;
  uncertainty.intervals.assign(static_cast<std::size_t>(layout.num_parameters()), std::nullopt);
  for (int k = 0; k < layout.num_parameters(); ++k) {
    if (uncertainty.is_set_by_prior(k)) continue;
    const double half_width = widths * population.prior.standard_error[k];
    Interval interval{x[k] - half_width, x[k] + half_width};
    if (is_nonnegative(layout, k)) interval.lower = std::max(0.0, interval.lower);
    uncertainty.intervals[static_cast<std::size_t>(k)] = interval;
  }
}

}  // namespace heft
