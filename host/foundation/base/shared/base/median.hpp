// Medians, which are robust against single outliers.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace heft {

/// Ratio of standard deviation to median absolute deviation for normal noise: 1 / Phi^-1(3/4).
inline constexpr double kDeviationOverMad = 1.482602218505602;

/// Returns the median, the upper one of two middle values; 0 without values.
template <class Number>
Number median(std::vector<Number> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Returns whether median() is at least `least`, by counting, without computing the median.
template <class Number>
bool is_median_at_least(const std::vector<Number>& values, Number least) {
  const auto below =
      std::count_if(values.begin(), values.end(), [&](Number x) { return x < least; });
  return !values.empty() && below <= static_cast<std::ptrdiff_t>(values.size() / 2);
}

/// Returns the median difference of consecutive numbers; 0 for fewer than two.
template <class Numbers>
double median_step(const Numbers& numbers) {
  std::vector<double> steps;
  for (decltype(numbers.size()) k = 1; k < numbers.size(); ++k)
    steps.push_back(numbers[k] - numbers[k - 1]);
  return median(std::move(steps));
}

/// Returns the median, the mean of two middle values, so that values above and below count equally;
/// 0 without values.
inline double balanced_median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return values.size() % 2 == 1 ? *middle
                                : 0.5 * (*std::max_element(values.begin(), middle) + *middle);
}

}  // namespace heft
