#include "weaker_prior.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <utility>

#include "base/parallel_tasks.hpp"

namespace heft {

namespace {

constexpr double kShares[] = {0.1, 0.01, 0.001};  ///< of the prior's weight

/// Minus twice the log-likelihood, up to a constant.
double deviance(const Residuals& left) {
  double sum = 0;
  for (Eigen::Index c = 0; c < left.error2.size(); ++c)
    if (left.error2[c] > 0) sum += left.num_rows[c] * std::log(left.error2[c] / left.num_rows[c]);
  return sum;
}

}  // namespace

Result<Done> WeakerPrior::free() {
  Explained freed[std::size(kShares)];
  Residuals left[std::size(kShares)];
  const auto with_share = [&](std::int64_t k, int) -> Result<Done> {
    HEFT_TRY(explained, profile_.explain_with_prior(kShares[k]));
    HEFT_TRY(residuals, profile_.residuals_as_it_is(profile_.deciding(), explained));
    freed[k] = std::move(explained);
    left[k] = std::move(residuals);
    return Done{};
  };
  const Workers& workers = profile_.workers();
  HEFT_CHECK(parallel_tasks(std::ssize(kShares), workers.num_threads, workers.progress,
                            "testing whether the bodies explain it", with_share));
  const auto* best = std::min_element(
      std::begin(left), std::end(left),
      [](const Residuals& a, const Residuals& b) { return deviance(a) < deviance(b); });
  best_ = std::move(freed[best - left]);
  left_ = std::move(left[best - left]);
  return Done{};
}

Result<double> WeakerPrior::surpassed_by(const Fault& fault, const Judged& judged,
                                         const Gains& noise) {
  if (!best_) HEFT_CHECK(free());
  const Excerpt& excerpt = profile_.deciding();
  const Eigen::ArrayXd& kappa =
      noise.held_out.size() == 0 ? noise.kappa_training : noise.kappa_held_out;
  if (!fault.loses_rows()) return (log_ratios(excerpt, left_, judged.left) / kappa).sum();
  HEFT_TRY(left, profile_.residuals(excerpt, fault, *best_));
  return (log_ratios(excerpt, left, judged.left) / kappa).sum();
}

}  // namespace heft
