#include <algorithm>

#include "population/population.hpp"

namespace heft {

namespace {

/// Weight of the robot file where the population has more information; the file still determines
/// what no log excites.
constexpr double kShareOfFile = 1e-3;

}  // namespace

Prior with_population_prior(const Prior& own, const PopulationPrior& population,
                            const NormalEquations& equations, double rows_worth_one) {
  const double num_rows = equations.num_rows;
  Prior prior = own;
  if (prior.share.empty()) prior.share.assign(prior.references.size(), 1.0);
  const auto weight = [&](double deviation) {
    return rows_worth_one / (num_rows * deviation * deviation);
  };
  prior.bodies.assign(population.bodies.size(), {});
  for (std::size_t b = 0; b < population.bodies.size(); ++b) {
    if (!population.bodies[b]) continue;
    prior.references[b] = population.bodies[b]->metric;
    prior.bodies[b] = {population.bodies[b]->mean, weight(population.bodies[b]->deviation)};
    prior.share[b] = kShareOfFile;
  }
  // the ridge, which pulls columns toward zero, is as weak as the file; columns unknown to the
  // population keep theirs
  prior.ridge = kShareOfFile * own.ridge;
  prior.columns.assign(population.columns.size(), {});
  const auto first = equations.G.rows() - static_cast<Eigen::Index>(population.columns.size());
  for (std::size_t k = 0; k < population.columns.size(); ++k) {
    const auto at = first + static_cast<Eigen::Index>(k);
    if (const auto& column = population.columns[k])
      prior.columns[k] = {column->value, weight(column->deviation)};
    else
      prior.columns[k] = {0, (own.ridge - prior.ridge) * equations.G(at, at) / num_rows};
  }
  return prior;
}

}  // namespace heft
