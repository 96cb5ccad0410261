#include <algorithm>

#include "sisters/family.hpp"

namespace heft {

namespace {

/// What the robot file still counts where sisters say more: what no log has seen stays there.
constexpr double kShareOfFile = 1e-3;

}  // namespace

Prior prior_with_sisters(const Prior& own, const SisterPrior& sisters, const NormalEquations& equations,
                         double rows_worth_one) {
  const double num_rows = equations.num_rows;
  Prior prior = own;
  if (prior.share.empty()) prior.share.assign(prior.references.size(), 1.0);
  const auto weight = [&](double deviation) { return rows_worth_one / (num_rows * deviation * deviation); };
  prior.bodies.assign(sisters.bodies.size(), {});
  for (std::size_t b = 0; b < sisters.bodies.size(); ++b) {
    if (!sisters.bodies[b]) continue;
    prior.references[b] = sisters.bodies[b]->metric;
    prior.bodies[b] = {sisters.bodies[b]->mean, weight(sisters.bodies[b]->deviation)};
    prior.share[b] = kShareOfFile;
  }
  // the ridge, which pulls columns towards zero, counts as little as the file; those that sisters say nothing of keep theirs
  prior.ridge = kShareOfFile * own.ridge;
  prior.columns.assign(sisters.columns.size(), {});
  const auto first = equations.G.rows() - static_cast<Eigen::Index>(sisters.columns.size());
  for (std::size_t k = 0; k < sisters.columns.size(); ++k) {
    const auto at = first + static_cast<Eigen::Index>(k);
    if (const auto& column = sisters.columns[k])
      prior.columns[k] = {column->value, weight(column->deviation)};
    else
      prior.columns[k] = {0, (own.ridge - prior.ridge) * equations.G(at, at) / num_rows};
  }
  return prior;
}

}  // namespace heft
