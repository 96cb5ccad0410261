#include "confidence.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "heft/uncertainty/uncertainty.hpp"

namespace heft::payload {

namespace {

constexpr double kFar = 5;  // standard errors between the data's answer and the prior's that are no
                            // chance
constexpr double kUnbounded = std::numeric_limits<double>::infinity();

}  // namespace

AnswerIntervals intervals_about(const DataAlone& data, const BodyParameters& answer) {
  AnswerIntervals intervals;
  const BodyParameters &x = data.x, &shrunk = data.shrunk_by;
  // of w'x / scale, to which the answer gives `given`
  const auto interval = [&](const BodyParameters& w, double scale, double value, double given,
                            bool is_open) {
    const auto half = [&](const std::function<double(const BodyParameters&)>& error_of) {
      const double error = is_open ? kUnbounded : error_of(w) / scale;
      return std::isfinite(error) ? data.quantile * error : kUnbounded;
    };
    const double shrunk_by = w.dot(shrunk) / scale, half_of_data = half(data.error_of),
                 half_if_shrunk = data.error_if_shrunk ? half(data.error_if_shrunk) : half_of_data;
    intervals.prior_disagrees |= std::abs(value - given) * data.quantile > kFar * half_of_data;
    return PayloadInterval{
        std::min({value - half_of_data, value + shrunk_by - half_if_shrunk, given}),
        std::max({value + half_of_data, value + shrunk_by + half_if_shrunk, given})};
  };
  intervals.mass = interval(BodyParameters::Unit(0), 1, x[0], answer[0], data.open[0]);
  intervals.mass.low = std::max(intervals.mass.low, 0.0);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const int h = core::kMcx + static_cast<int>(axis);
    const double c = x[h] / x[0];
    const bool is_open = data.open[0] || data.open[core::kMcx + axis] || !(intervals.mass.low > 0);
    intervals.com[axis] = interval(BodyParameters::Unit(h) - c * BodyParameters::Unit(0), x[0], c,
                                   answer[h] / answer[0], is_open);
  }
  return intervals;
}

std::vector<std::string> set_by_prior(const ConvexAnswer& answer, double weight) {
  std::vector<std::string> names;
  const auto prior = prior_of(answer, {.weight = weight});
  const WeightedSums& sums = answer.sums;
  if (!prior) return names;
  const auto shares =
      prior_shares(payload_layout(), {sums.G, sums.b, sums.tau2, sums.num_rows}, *prior);
  for (int k = 0; shares && k < core::kNumParameters; ++k)
    if ((*shares)[k] > kSetByPrior) names.emplace_back(core::kParameterNames[k]);
  return names;
}

}  // namespace heft::payload
