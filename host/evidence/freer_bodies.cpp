#include "freer_bodies.hpp"

#include <cmath>
#include <limits>
#include <utility>

namespace heft {

namespace {

constexpr double kShares[] = {0.1, 0.01, 0.001};  ///< of the prior's weight

/// Minus twice the log-likelihood but for a constant.
double deviance(const Residuals& left) {
  double sum = 0;
  for (Eigen::Index c = 0; c < left.error2.size(); ++c)
    if (left.error2[c] > 0) sum += left.num_rows[c] * std::log(left.error2[c] / left.num_rows[c]);
  return sum;
}

}  // namespace

Result<Done> FreerBodies::free() {
  double least = std::numeric_limits<double>::infinity();
  for (const double share : kShares) {
    HEFT_TRY(freed, profile_.explain_with_prior(share));
    HEFT_TRY(left, profile_.residuals_as_it_is(profile_.deciding(), freed));
    if (const double now = deviance(left); !best_ || now < least) {
      least = now;
      best_ = std::move(freed);
      left_ = std::move(left);
    }
  }
  return Done{};
}

Result<double> FreerBodies::surpassed_by(const Fault& fault, const Judged& judged) {
  if (!best_) HEFT_CHECK(free());
  const Excerpt& excerpt = profile_.deciding();
  if (!fault.loses_rows())
    return (log_ratios(excerpt, left_, judged.left) / rows_worth_one(judged.left)).sum();
  HEFT_TRY(left, profile_.residuals(excerpt, fault, *best_));
  return (log_ratios(excerpt, left, judged.left) / rows_worth_one(judged.left)).sum();
}

}  // namespace heft
