// Detects angles that an encoder counts within one turn: at the ends of the range they jump by a
// full turn while the joint moves on smoothly. Other rules would mistake the jumps for spikes, and
// a filter would convert them to accelerations and torques.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "column_scan.hpp"
#include "files/yaml_text.hpp"
#include "log_facts.hpp"

namespace heft::check {

namespace {

constexpr double kOrdinaryStep = 0.25;  ///< of a turn: larger steps are jumps
constexpr double kLongestStep = 1.5;  ///< median steps: over a longer one the motion of a joint is
                                      ///< unknown
constexpr double kWholeJumps = 0.9;   ///< share of jumps that must be whole turns
constexpr double kBeyondOrdinary = 1.5;  ///< times the largest ordinary step may be left of a jump
                                         ///< without its turn

/// Steps from row to row, NaN over pauses.
Eigen::ArrayXd steps_of(const LogFacts& log, int joint) {
  const auto q = log.raw.position(joint);
  Eigen::ArrayXd steps(q.size() - 1);
  for (Eigen::Index k = 0; k + 1 < q.size(); ++k) {
    const bool goes_on = log.raw.time[k + 1] - log.raw.time[k] < kLongestStep * log.raw.median_step;
    steps[k] = goes_on ? q[k + 1] - q[k] : std::numeric_limits<double>::quiet_NaN();
  }
  return steps;
}

struct Jumps {
  Eigen::Index count = 0, whole = 0, first = 0;
  double largest_ordinary = 0;
};

Jumps jumps_of(const Eigen::ArrayXd& steps, double turn) {
  Jumps jumps;
  for (const double step : steps)
    if (std::abs(step) < kOrdinaryStep * turn)
      jumps.largest_ordinary = std::max(jumps.largest_ordinary, std::abs(step));
  for (Eigen::Index k = 0; k < steps.size(); ++k) {
    if (!(std::abs(steps[k]) >= kOrdinaryStep * turn)) continue;
    if (jumps.count++ == 0) jumps.first = k + 1;
    const double left = std::abs(steps[k]) - turn;
    jumps.whole += std::abs(left) <= kBeyondOrdinary * jumps.largest_ordinary;
  }
  return jumps;
}

/// Counts turns from the first row on.
void unwrap(LogFacts& log, int joint, double turn) {
  auto q = log.raw.position(joint);
  Eigen::ArrayXd whole = q;
  double turns = 0, before = std::numeric_limits<double>::quiet_NaN();
  for (Eigen::Index k = 0; k < q.size(); ++k) {
    if (std::isnan(q[k])) continue;
    if (std::abs(q[k] - before) >= (1 - kOrdinaryStep) * turn)
      turns -= std::round((q[k] - before) / turn);
    before = q[k];
    whole[k] = q[k] + turns * turn;
  }
  log.raw.values.col(log.raw.columns.first_position + joint) = whole;
}

}  // namespace

void take_turns_out(LogFacts& log) {
  log.wrapped.assign(log.robot.coordinates.size(), {});
  for (int k = 0; k < log.robot.num_coordinates(); ++k) {
    const Coordinate& coordinate = log.robot.coordinates[static_cast<std::size_t>(k)];
    if (!coordinate.is_angle || log.options.log.unwrap.has(coordinate.name)) continue;
    const double turn =
        2 * std::numbers::pi * std::abs(log.options.log.position_scale.of(coordinate.name, k));
    const auto q = log.raw.position(k);
    if (count_steps(q, kOrdinaryStep * turn) == 0) continue;
    const Jumps jumps = jumps_of(steps_of(log, k), turn);
    const bool within_a_turn = finite_extremes_of(q).width() <= turn + jumps.largest_ordinary;
    if (jumps.count == 0 || !within_a_turn ||
        static_cast<double>(jumps.whole) < kWholeJumps * static_cast<double>(jumps.count))
      continue;
    const std::string yaml = fmt::format("log: {{unwrap: [{}]}}\n", yaml_quoted(coordinate.name));
    LogEvidence evidence{
        fmt::format(
            "jumps by a whole turn at {} of the steps, and continues as before: angles are wrapped "
            "to one turn",
            jumps.whole),
        static_cast<double>(jumps.whole), "1",
        "add to the configuration: " + yaml.substr(0, yaml.size() - 1),
        log.raw.line[static_cast<std::size_t>(jumps.first)]};
    evidence.fix.yaml = yaml;
    log.wrapped[static_cast<std::size_t>(k)] = std::move(evidence);
    unwrap(log, k, turn);
    log.options.log.unwrap.names.push_back(coordinate.name);
  }
}

MaybeLogEvidence position_wrapped(const LogFacts& log, const JointLog& joint) {
  return log.wrapped[static_cast<std::size_t>(joint.joint)];
}

}  // namespace heft::check
