#include "sister_answer.hpp"

#include <algorithm>

#include "heft/solve/weighted_fit.hpp"
#include "uncertainty/nonnegative.hpp"
#include "uncertainty/quantiles.hpp"

namespace heft {

Result<Done> ask_sisters(const StoredSisterPrior& sisters, const TrainingData& data,
                         IdentifyRequest& request) {
  HEFT_TRY(fit, fit_weighted(data.moments, request.estimation.weighting_passes, request.estimation.rank_cut));
  request.setup.prior =
      prior_with_sisters(request.setup.prior, sisters.prior,
                         normal_equations(data.moments, fit.channel_weights), sisters.rows_worth_one);
  request.estimation.chooses_weight_of_prior = false;
  request.estimation.uncertainty.bootstrap = 0;
  return Done{};
}

void put_intervals(const StoredSisterPrior& sisters, Identification& answer) {
  if (!answer.optimum) return;
  Uncertainty& uncertainty = answer.optimum->uncertainty;
  const ParameterLayout& layout = answer.plan().layout;
  const Eigen::VectorXd& x = answer.answer().parameters;
  const double widths = normal_quantile(0.5 * (1 + uncertainty.confidence));
  uncertainty.prior_shares = sisters.prior.file_share;
  uncertainty.intervals.assign(static_cast<std::size_t>(layout.num_parameters()), std::nullopt);
  for (int k = 0; k < layout.num_parameters(); ++k) {
    if (uncertainty.is_set_by_prior(k)) continue;
    const double half_width = widths * sisters.prior.standard_error[k];
    Interval interval{x[k] - half_width, x[k] + half_width};
    if (is_nonnegative(layout, k)) interval.lower = std::max(0.0, interval.lower);
    uncertainty.intervals[static_cast<std::size_t>(k)] = interval;
  }
}

}  // namespace heft
