#include "lbfgs.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

namespace heft::excite {

namespace {

using Eigen::VectorXd;

constexpr int kMemory = 20;  ///< pairs of steps and changes of the gradient that are kept
constexpr double kLeastDecrease = 1e-9;  ///< a step that lowers the value by less than this share
                                         ///< of it is the last

struct Pair {
  VectorXd step, change;
  double inverse_product;
};

/// Minus the approximate inverse Hessian times the gradient, by the two loops of [Nocedal 1980].
VectorXd direction_of(const VectorXd& gradient, const std::deque<Pair>& pairs) {
  VectorXd direction = -gradient;
  std::vector<double> shares(pairs.size());
  for (std::size_t i = pairs.size(); i-- > 0;) {
    shares[i] = pairs[i].inverse_product * pairs[i].step.dot(direction);
    direction -= shares[i] * pairs[i].change;
  }
  if (!pairs.empty()) direction /= pairs.back().inverse_product * pairs.back().change.squaredNorm();
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const double share = pairs[i].inverse_product * pairs[i].change.dot(direction);
    direction += (shares[i] - share) * pairs[i].step;
  }
  return direction;
}

struct Point {
  VectorXd x, gradient;
  double value = 0;
};

/// Finds a point along the direction that satisfies the Wolfe conditions; false if no point does.
bool search_line(const SmoothFunction& function, const Point& from, const VectorXd& direction,
                 double length, Point& to, int& evaluations) {
  constexpr double kDecrease = 1e-4, kCurvature = 0.9;
  constexpr int kMaxTries = 20;
  const double slope = from.gradient.dot(direction);
  double low = 0, high = std::numeric_limits<double>::infinity();
  double low_value = from.value, low_slope = slope;
  bool found = false;
  for (int i = 0; i < kMaxTries; ++i) {
    Point trial;
    trial.x = from.x + length * direction;
    trial.value = function(trial.x, trial.gradient);
    ++evaluations;
    const double trial_slope = std::isfinite(trial.value) ? trial.gradient.dot(direction) : 0;
    double next;
    if (!(trial.value <= from.value + kDecrease * length * slope)) {
      high = length;
      // minimum of the parabola through the lower end, its slope and this value
      const double rise = trial.value - low_value - low_slope * (high - low);
      const double least = low - 0.5 * low_slope * (high - low) * (high - low) / rise;
      next = std::isfinite(least)
                 ? std::clamp(least, low + 0.1 * (high - low), low + 0.5 * (high - low))
                 : low + 0.1 * (high - low);
    } else {
      to = trial;
      found = true;
      if (trial_slope >= kCurvature * slope) return true;
      low = length, low_value = trial.value, low_slope = trial_slope;
      next = std::isfinite(high) ? 0.5 * (low + high) : 2.5 * length;
    }
    length = next;
  }
  return found;
}

}  // namespace

int descend(const SmoothFunction& function, VectorXd& x, const DescentOptions& options) {
  Point at{.x = x};
  at.value = function(at.x, at.gradient);
  int evaluations = 1;
  std::deque<Pair> pairs;
  for (int step = 0; step < options.max_steps && std::isfinite(at.value); ++step) {
    if (options.goes_on && !options.goes_on()) break;
    if (!(at.gradient.norm() > 0)) break;
    VectorXd direction = direction_of(at.gradient, pairs);
    if (!(at.gradient.dot(direction) < 0)) {
      pairs.clear();
      direction = -at.gradient;
    }
    const double length =
        pairs.empty() ? std::min(1.0, 0.1 * (1 + at.x.norm()) / direction.norm()) : 1.0;
    Point next;
    if (!search_line(function, at, direction, length, next, evaluations)) {
      if (pairs.empty()) break;
      pairs.clear();
      continue;
    }
    const VectorXd moved = next.x - at.x, change = next.gradient - at.gradient;
    const double product = moved.dot(change), decrease = at.value - next.value;
    if (product > 1e-12 * moved.norm() * change.norm()) {
      pairs.push_back({moved, change, 1 / product});
      if (static_cast<int>(pairs.size()) > kMemory) pairs.pop_front();
    }
    at = next;
    if (decrease <= kLeastDecrease * (1 + std::abs(at.value))) break;
  }
  x = at.x;
  return evaluations;
}

}  // namespace heft::excite
