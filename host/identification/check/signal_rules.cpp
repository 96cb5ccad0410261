// Rules about one column of numbers, independent of its quantity.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/median.hpp"
#include "column_scan.hpp"
#include "log_facts.hpp"

namespace heft::check {

MaybeLogEvidence value_missing(const LogFacts& log, int value) {
  const auto column = log.raw.values.col(value);
  if (count_finite(column) == column.size()) return {};
  long long count = 0;
  std::int64_t line = 1;
  for (Eigen::Index k = 0; k < column.size(); ++k)
    if (std::isnan(column[k]) && count++ == 0) line = log.raw.line[static_cast<std::size_t>(k)];
  if (count == 0) return {};
  return LogEvidence{fmt::format("no number in {} of {} rows", count, column.size()),
                     static_cast<double>(count), "1",
                     "rows around them are dropped; check for a full buffer", line};
}

namespace {

/// Whether one time shift of a row explains how far it is from its neighbors in all joints: then
/// its stamp is wrong, as in a row that repeats the previous one, and its numbers are not.
bool is_shifted(const LogFacts& log, Eigen::Index row) {
  constexpr double kExplained = 0.95, kOthers = 0.1;
  double slopes = 0, largest = 0, bends = 0, product = 0;
  for (const JointLog& joint : log.joints) {
    const auto q = log.raw.position(joint.joint);
    const double bend = q[row] - (q[row - 1] + q[row + 1]) / 2;
    const double slope = (q[row + 2] - q[row - 2]) / 4;  // per row
    slopes += slope * slope;
    largest = std::max(largest, slope * slope);
    bends += bend * bend;
    product += bend * slope;
  }
  const bool several_move = slopes - largest > kOthers * slopes;
  return several_move && std::abs(product) <= slopes &&
         product * product >= kExplained * bends * slopes;
}

}  // namespace

// A spike leaves the curve through its neighbors and comes back at once: the deviation from the
// line between them is large on one row and half as large, with the other sign, on the two beside
// it.
MaybeLogEvidence signal_spikes(const LogFacts& log, int value) {
  constexpr double kLarge = 30;  // times the usual deviation
  const auto column = log.raw.values.col(value);
  const Eigen::Index n = column.size();
  if (n < 20) return {};
  const Eigen::ArrayXd bend = bends_of(column, log.raw.place_between);
  if (!has_large(bend, kLarge)) return {};
  std::vector<double> sizes;
  sizes.reserve(static_cast<std::size_t>(n));
  for (const double b : bend)
    if (std::abs(b) > 0) sizes.push_back(std::abs(b));
  const double range =
      column.isNaN().select(0.0, column).maxCoeff() - column.isNaN().select(0.0, column).minCoeff();
  const double usual = std::max(median(std::move(sizes)), 1e-4 * range);
  const int joint = value - log.raw.columns.first_position;
  const bool is_position = joint >= 0 && joint < log.robot.num_coordinates();
  long long count = 0;
  std::int64_t line = 1;
  double largest = 0;
  for (Eigen::Index k = 2; k + 2 < n; ++k) {
    if (!(std::abs(bend[k]) > kLarge * usual)) continue;
    const bool comes_back = bend[k - 1] * bend[k] < 0 && bend[k + 1] * bend[k] < 0 &&
                            std::abs(bend[k - 1] + bend[k + 1] + bend[k]) < 0.2 * std::abs(bend[k]);
    if (!comes_back || (is_position && is_shifted(log, k))) continue;
    if (count++ == 0) line = log.raw.line[static_cast<std::size_t>(k)];
    largest = std::max(largest, std::abs(bend[k]));
  }
  if (count == 0) return {};
  return LogEvidence{
      fmt::format("{} spike{} of one sample, up to {:.3g} {} off, {:.0f} times the usual step",
                  count, count == 1 ? "" : "s", largest, log.unit(value), largest / usual),
      largest, log.unit(value),
      "set log.bridge_spikes: true, which replaces them; check for a bad connection", line};
}

// The same number over a stretch in which the signal should have gone on moving: it jumps when it
// comes back.
MaybeLogEvidence signal_stuck(const LogFacts& log, int value) {
  constexpr double kMinTime = 0.1;  // s
  constexpr double kJump = 20;      // times the usual step
  const auto column = log.raw.values.col(value);
  const auto least_rows =
      static_cast<Eigen::Index>(std::max(20.0, kMinTime / std::max(log.raw.median_step, 1e-9)));
  if (count_repeated(column) + 1 < least_rows) return {};
  std::vector<double> steps;
  steps.reserve(static_cast<std::size_t>(column.size()));
  for (Eigen::Index k = 1; k < column.size(); ++k)
    if (const double step = std::abs(column[k] - column[k - 1]); step > 0) steps.push_back(step);
  if (steps.empty() ||
      is_median_at_least(steps, *std::max_element(steps.begin(), steps.end()) / kJump))
    return {};  // no step is a jump
  const double usual = median(std::move(steps));
  for (Eigen::Index begin = 0, k = 1; k < column.size(); ++k) {
    if (column[k] == column[begin]) continue;
    const Eigen::Index rows = k - begin;
    if (rows >= least_rows && std::abs(column[k] - column[begin]) > kJump * usual && usual > 0) {
      LogEvidence evidence{fmt::format("stays at {:.6g} for {:.3g} s, then jumps by {:.3g}",
                                       column[begin], log.raw.time[k - 1] - log.raw.time[begin],
                                       std::abs(column[k] - column[begin])),
                           log.raw.time[k - 1] - log.raw.time[begin], "s",
                           "check for a sensor or bus that stopped",
                           log.raw.line[static_cast<std::size_t>(begin)]};
      // rounded outward, so that columns that stop together have the same stretch
      evidence.from_s = std::floor(10 * log.raw.time[begin]) / 10;
      evidence.to_s = std::ceil(10 * log.raw.time[k]) / 10;
      evidence.is_excludable = true;
      return evidence;
    }
    begin = k;
  }
  return {};
}

}  // namespace heft::check
