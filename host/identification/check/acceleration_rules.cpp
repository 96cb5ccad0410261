// Compares logged accelerations, which Heft uses instead of differences, with the positions.
//
//   (q(t + h) - 2 q(t) + q(t - h)) / h^2 = mean of the acceleration, weighted by a triangle of
//                                          half width h
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "base/median.hpp"
#include "log_facts.hpp"

namespace heft::check {

namespace {

constexpr double kHalfWidth = 0.05;    ///< [s], over which the noise of positions is small
constexpr Eigen::Index kFewest = 100;  ///< instants
constexpr double kAboveNoise = 10;     ///< power of second differences, over that of their noise
constexpr double kSpike = 20;          ///< times the median: a spike or a jump of the position
constexpr double kLargestLeft = 0.3, kLargestFactor = 1.3;  ///< of accelerations that agree

/// Accelerations by position and by their own column, at the same instants.
struct Pair {
  Eigen::ArrayXd differences, logged;
};

/// Variance of the noise of positions: fourth differences of a motion are small, those of white
/// noise have 70 times its variance. At least that of rounding to the smallest step: the steps of
/// an encoder are rare if the joint is slow, and most fourth differences zero.
double noise_variance(const Eigen::ArrayXd& q) {
  double step = std::numeric_limits<double>::infinity();
  for (Eigen::Index k = 1; k < q.size(); ++k)
    if (const double size = std::abs(q[k] - q[k - 1]); size > 0) step = std::min(step, size);
  const double rounding = std::isfinite(step) ? step * step / 12 : 0;
  double sum = 0;
  Eigen::Index count = 0;
  for (Eigen::Index k = 2; k + 2 < q.size(); ++k) {
    const double fourth = q[k - 2] - 4 * q[k - 1] + 6 * q[k] - 4 * q[k + 1] + q[k + 2];
    if (!std::isfinite(fourth)) continue;
    sum += fourth * fourth;
    ++count;
  }
  return count > 0 ? std::max(rounding, sum / (70 * static_cast<double>(count))) : rounding;
}

/// The mean of numbers around an instant, weighted by a triangle; NaN if one is missing.
double triangle_mean(const Eigen::ArrayXd& numbers, Eigen::Index at, Eigen::Index reach) {
  double sum = 0;
  for (Eigen::Index offset = 1 - reach; offset < reach; ++offset)
    sum += static_cast<double>(reach - std::abs(offset)) * numbers[at + offset];
  return sum / static_cast<double>(reach * reach);
}

/// Empty: too few instants, or a motion that does not exceed the noise of the position.
std::optional<Pair> compare(const RawLog& raw, int joint) {
  if (!(raw.median_step > 0)) return {};  // no stamp is later than another
  const Eigen::ArrayXd q = raw.position(joint);
  const Eigen::ArrayXd logged = raw.values.col(raw.columns.first_acceleration + joint);
  const auto reach = static_cast<Eigen::Index>(std::max(1.0, kHalfWidth / raw.median_step));
  const double h = static_cast<double>(reach) * raw.median_step;
  std::vector<double> by_position, by_column;
  for (Eigen::Index k = reach; k + reach < q.size(); k += (reach + 1) / 2) {
    const double before = raw.time[k] - raw.time[k - reach],
                 after = raw.time[k + reach] - raw.time[k];
    if (!(std::abs(before / h - 1) < 0.05) || !(std::abs(after / h - 1) < 0.05)) continue;
    const double second = (q[k + reach] - 2 * q[k] + q[k - reach]) / (h * h);
    const double mean = triangle_mean(logged, k, reach);
    if (!std::isfinite(second) || !std::isfinite(mean)) continue;
    by_position.push_back(second);
    by_column.push_back(mean);
  }
  if (std::ssize(by_position) < kFewest) return {};
  std::vector<double> sizes;
  for (const double second : by_position) sizes.push_back(std::abs(second));
  const double largest = kSpike * median(std::move(sizes));
  Pair pair{Eigen::Map<Eigen::ArrayXd>(by_position.data(), std::ssize(by_position)),
            Eigen::Map<Eigen::ArrayXd>(by_column.data(), std::ssize(by_column))};
  const auto is_motion = (pair.differences.abs() <= largest).eval();
  pair.differences = is_motion.select(pair.differences, 0.0);
  pair.logged = is_motion.select(pair.logged, 0.0);
  const double noise = 6 * noise_variance(q) / std::pow(h, 4);
  if (!(pair.differences.square().mean() > kAboveNoise * noise)) return {};
  return pair;
}

}  // namespace

MaybeLogEvidence acceleration_mismatch(const LogFacts& log, const JointLog& joint) {
  if (!joint.moves) return {};
  const auto pair = compare(log.raw, joint.joint);
  if (!pair) return {};
  const double size = pair->logged.square().sum(), motion = pair->differences.square().sum();
  if (!(motion > 0)) return {};
  const double factor = (pair->logged * pair->differences).sum() / motion;
  const double left =
      size > 0 ? (pair->logged - factor * pair->differences).square().sum() / size : 1;
  if (left < kLargestLeft && factor > 1 / kLargestFactor && factor < kLargestFactor) return {};
  return LogEvidence{
      fmt::format("logged acceleration is not the second derivative of the position: best factor "
                  "{:.3g}, {:.0f} % unexplained",
                  factor, 100 * left),
      left, "1",
      "log the measured acceleration in the position's unit; or let Heft differentiate the "
      "position: log: {acceleration: []}"};
}

}  // namespace heft::check
