#include "confidence.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "heft/uncertainty/error_bars.hpp"

namespace heft::payload {

namespace {

constexpr double kFar = 5;  // standard errors between the data's answer and the prior's that are no chance
constexpr double kUnbounded = std::numeric_limits<double>::infinity();

}  // namespace

AnswerIntervals intervals_about(const DataAlone& data, const BodyParameters& answer) {
  AnswerIntervals intervals;
  const auto interval = [&](double value, double error, double shrunk_by, double given) {
    intervals.prior_disagrees |= std::abs(value - given) > kFar * error;
    const double half = std::isfinite(error) ? data.quantile * error : kUnbounded;
    return PayloadInterval{std::min({value - half, value + shrunk_by - half, given}),
                           std::max({value + half, value + shrunk_by + half, given})};
  };
  const BodyParameters &x = data.x, &shrunk = data.shrunk_by;
  intervals.mass = interval(x[0], data.open[0] ? kUnbounded : data.error_of(BodyParameters::Unit(0)),
                            shrunk[0], answer[0]);
  intervals.mass.low = std::max(intervals.mass.low, 0.0);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const int h = core::kMcx + static_cast<int>(axis);
    const double c = x[h] / x[0];
    const bool is_open = data.open[0] || data.open[core::kMcx + axis] || !(intervals.mass.low > 0);
    const double error =
        is_open ? kUnbounded : data.error_of(BodyParameters::Unit(h) - c * BodyParameters::Unit(0)) / x[0];
    intervals.com[axis] = interval(c, error, (shrunk[h] - c * shrunk[0]) / x[0], answer[h] / answer[0]);
  }
  return intervals;
}

std::vector<std::string> set_by_prior(const ConvexAnswer& answer, double weight) {
  std::vector<std::string> names;
  const auto prior = prior_of(answer, {.weight = weight});
  const WeightedSums& sums = answer.sums;
  if (!prior) return names;
  const auto shares = prior_shares(payload_layout(), {sums.G, sums.b, sums.tau2, sums.num_rows}, *prior);
  for (int k = 0; shares && k < core::kNumParameters; ++k)
    if ((*shares)[k] > kSetByPrior) names.emplace_back(core::kParameterNames[k]);
  return names;
}

}  // namespace heft::payload
