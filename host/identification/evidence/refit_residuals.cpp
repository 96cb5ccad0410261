#include "refit_residuals.hpp"

#include <utility>

namespace heft {

Result<Left> explained_again(const HypothesisInput& input, const Workers& workers,
                             Explained& answer) {
  const Profile before(input, workers);
  HEFT_TRY(weights, before.weights_left());
  const HypothesisInput now = input.weighted(weights);
  const Profile profile = before.under_weights_of(now);
  HEFT_TRY(found, profile.explain_as_it_is());
  HEFT_TRY(training, profile.residuals_as_it_is(input.training, found));
  HEFT_TRY(held_out, profile.residuals_as_it_is(input.held_out, found));
  answer = std::move(found);
  return Left{std::move(training), std::move(held_out)};
}

Better better(const Excerpt& excerpt, const Residuals& before, const Residuals& after) {
  const Eigen::ArrayXd ratios = log_ratios(excerpt, before, after);
  Better found{.gain = (ratios / rows_worth_one(after)).sum()};
  for (Eigen::Index c = 0; c < ratios.size(); ++c)
    if (after.num_rows[c] > 0) found.fall += ratios[c] / after.num_rows[c];
  return found;
}

}  // namespace heft
