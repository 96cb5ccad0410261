// Splines over any knots by de Boor's algorithm in long double, with derivatives from the control
// points of the derivative.
#pragma once

#include <algorithm>
#include <vector>

namespace heft::oracle {

/// sum_i control_i N_{i,degree}(t): control.size() + degree + 1 knots, defined from knots[degree]
/// to knots[control.size()].
struct Spline {
  int degree;
  std::vector<long double> knots, control;

  /// Weighted means of neighboring control points, of theirs, and so on until one is left.
  long double value(long double t) const {
    const auto num_control = static_cast<std::ptrdiff_t>(control.size());
    const auto after = std::upper_bound(knots.begin() + degree, knots.begin() + num_control, t);
    const std::ptrdiff_t span = std::max<std::ptrdiff_t>(degree, after - knots.begin() - 1);
    std::vector<long double> points(control.begin() + span - degree, control.begin() + span + 1);
    for (int level = 1; level <= degree; ++level)
      for (int i = degree; i >= level; --i) {
        const long double left = knots[span - degree + i], right = knots[span + 1 + i - level];
        const long double share = (t - left) / (right - left);
        points[i] = (1 - share) * points[i - 1] + share * points[i];
      }
    return points[degree];
  }

  Spline derivative() const {
    Spline result{degree - 1, {knots.begin() + 1, knots.end() - 1}, {}};
    for (std::size_t i = 0; i + 1 < control.size(); ++i)
      result.control.push_back(degree * (control[i + 1] - control[i]) /
                               (knots[i + degree + 1] - knots[i + 1]));
    return result;
  }
};

/// Knots `interval` apart, the first at which the spline is defined at 0.
inline Spline uniform_spline(int degree, long double interval, std::vector<long double> control) {
  Spline spline{degree, {}, std::move(control)};
  for (int i = 0; i < static_cast<int>(spline.control.size()) + degree + 1; ++i)
    spline.knots.push_back((i - degree) * interval);
  return spline;
}

}  // namespace heft::oracle
