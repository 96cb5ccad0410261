// The median, which single wild values do not move.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace heft {

/// Standard deviation over median absolute deviation, of normal noise: 1 / Phi^-1(3/4).
inline constexpr double kDeviationOverMad = 1.482602218505602;

/// The upper one of two in the middle; 0 of nothing.
template <class Number>
Number median(std::vector<Number> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Whether median() of these is no less: a count, where the median itself is not asked for.
template <class Number>
bool is_median_at_least(const std::vector<Number>& values, Number least) {
  const auto below =
      std::count_if(values.begin(), values.end(), [&](Number x) { return x < least; });
  return !values.empty() && below <= static_cast<std::ptrdiff_t>(values.size() / 2);
}

/// Of the steps from each number to the next; 0 of fewer than two.
template <class Numbers>
double median_step(const Numbers& numbers) {
  std::vector<double> steps;
  for (decltype(numbers.size()) k = 1; k < numbers.size(); ++k)
    steps.push_back(numbers[k] - numbers[k - 1]);
  return median(std::move(steps));
}

/// Of two in the middle their mean, so that what lies above and below counts alike; 0 of nothing.
inline double balanced_median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return values.size() % 2 == 1 ? *middle
                                : 0.5 * (*std::max_element(values.begin(), middle) + *middle);
}

}  // namespace heft
