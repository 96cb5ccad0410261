// Detects positions of a motor, which are those of the joint times a gear ratio. The joint limits
// show that they cannot be the joint's; the ratio is the one with which the URDF's torques agree
// best (torque_agreement.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "column_mistakes.hpp"
#include "conditioning/position_range.hpp"
#include "readable_joint.hpp"
#include "readers/option_yaml.hpp"
#include "torque_agreement.hpp"

namespace heft::check {

namespace {

constexpr double kBeyondLimits = 1.5;     ///< times the range that the limits allow, and a turn at
                                          ///< least
constexpr double kFarWithoutLimits = 25;  ///< [rad]: joints without limits hardly move as far in a
                                          ///< log
constexpr double kRatioStep = 0.06,
                 kWidestRatio = 40;  ///< of ratios that are tried: relative, and times the least
constexpr double kAgreeing = 0.85;   ///< correlation of the joint's torque, afterwards
constexpr double kRatioGain = 1.2;   ///< fall of the score that exceeds chance
constexpr double kSmallestMisfit = 0.02;  ///< better fits are not stronger evidence
constexpr double kSharpRatio = 0.2;       ///< by which the score is higher at a ratio 30 % off
constexpr double kUnlikeDegrees = 0.1;    ///< relative: nearer to degrees than that is degrees

constexpr double kTurnsOfADegree = 180 / std::numbers::pi;

double allowed(const Coordinate& coordinate) {
  return coordinate.upper - coordinate.lower;
}

bool cannot_be_its_own(const Extremes& range, const Coordinate& coordinate) {
  if (!coordinate.is_angle) return false;
  if (!std::isfinite(allowed(coordinate))) return range.width() > kFarWithoutLimits;
  return range.width() > kBeyondLimits * allowed(coordinate) &&
         range.farthest() > 2 * std::numbers::pi;
}

/// |y - x|^2 / |y|^2 of y = scale x at a correlation r: residual of the URDF's torques, including
/// their size. For a motion about zero, ratios differ mainly in this size.
double misfit(const Agreement& agreement) {
  const double r2 = std::max(agreement.correlation, 0.0) * std::max(agreement.correlation, 0.0);
  return agreement.scale > 0
             ? 1 - 2 * r2 / agreement.scale + r2 / (agreement.scale * agreement.scale)
             : 1;
}

/// Ratios of all joints in question, one moved at a time.
class RatioSearch {
 public:
  RatioSearch(const LogFacts& log, const TorqueTest& test, std::vector<int> joints)
      : log_(log), test_(test), joints_(std::move(joints)) {
    for (const int joint : joints_) ratios_.push_back(first_guess(joint));
  }

  struct Found {
    double ratio = 1, score = 0;
    bool is_told = false;  ///< by a torque that agrees, and with another ratio would not
  };

  /// Scores ratios of joint `k` of those in question, with the others at their current ratios.
  Result<Found> best(std::size_t k) {
    const Extremes range = logged_range(log_, joints_[k]);
    const double limits = allowed(coordinate(k));
    const double least = std::isfinite(limits) ? std::max(1.5, range.width() / (1.1 * limits)) : 2;
    Found found{.score = std::numeric_limits<double>::infinity()};
    const auto attempt = [&](double ratio) -> Result<Done> {
      HEFT_TRY(score, score_of(k, ratio));
      if (score < found.score) found = {ratio, score};
      return Done{};
    };
    for (double ratio = least; ratio < kWidestRatio * least; ratio *= 1 + kRatioStep)
      HEFT_CHECK(attempt(ratio));
    for (const double step : {0.02, 0.005})
      for (const double middle = found.ratio; const int n : {-2, -1, 1, 2})
        HEFT_CHECK(attempt(middle * (1 + n * step)));
    HEFT_TRY(above, score_of(k, 1.3 * found.ratio));
    HEFT_TRY(below, score_of(k, found.ratio / 1.3));
    HEFT_TRY(agreements, agreements_with(k, found.ratio));
    const Agreement& own = agreements[channel_of(k)];
    found.is_told = own.known && own.correlation > kAgreeing &&
                    std::min(above, below) > found.score + kSharpRatio;
    return found;
  }

  /// The ratios assumed for this joint while others are tried.
  void settle(std::size_t k, double ratio) { ratios_[k] = ratio; }

  Result<double> score_of(std::size_t k, double ratio) const {
    HEFT_TRY(agreements, agreements_with(k, ratio));
    double sum = 0;
    for (const Agreement& agreement : agreements)
      if (agreement.known) sum += std::log(std::clamp(misfit(agreement), kSmallestMisfit, 1.0));
    return sum;
  }

  const Coordinate& coordinate(std::size_t k) const {
    return log_.robot.coordinates[static_cast<std::size_t>(joints_[k])];
  }

 private:
  double first_guess(int joint) const {
    const Coordinate& coordinate = log_.robot.coordinates[static_cast<std::size_t>(joint)];
    const Extremes range = logged_range(log_, joint);
    if (!std::isfinite(allowed(coordinate))) return 1;
    return are_evidently_degrees(range.low, range.high, coordinate)
               ? kTurnsOfADegree
               : range.width() / (0.8 * allowed(coordinate));
  }

  std::size_t channel_of(std::size_t k) const {
    const auto joint = std::find_if(log_.joints.begin(), log_.joints.end(),
                                    [&](const JointLog& one) { return one.joint == joints_[k]; });
    return static_cast<std::size_t>(joint->channel);
  }

  Result<std::vector<Agreement>> agreements_with(std::size_t k, double ratio) const {
    Samples samples = test_.samples();
    for (std::size_t other = 0; other < joints_.size(); ++other)
      scaled_motion(joints_[other], 1 / (other == k ? ratio : ratios_[other]))(samples);
    return test_.agreements(samples);
  }

  const LogFacts& log_;
  const TorqueTest& test_;
  std::vector<int> joints_;
  std::vector<double> ratios_;
};

/// Motor turns per joint turn; empty: the positions are degrees or joint positions.
Result<std::optional<double>> turns_of(RatioSearch& search, std::size_t k, const Extremes& range,
                                       bool is_alone) {
  const bool has_limits = std::isfinite(allowed(search.coordinate(k)));
  const bool may_be_degrees = are_evidently_degrees(range.low, range.high, search.coordinate(k));
  HEFT_TRY(found, search.best(k));
  const double other = may_be_degrees ? kTurnsOfADegree : 1;
  HEFT_TRY(score_otherwise, search.score_of(k, other));
  if (has_limits && !may_be_degrees) {
    search.settle(k, found.ratio);
    return std::optional<double>(found.is_told ? found.ratio
                                               : std::numeric_limits<double>::quiet_NaN());
  }
  const bool unlike_degrees = std::abs(std::log(found.ratio / kTurnsOfADegree)) > kUnlikeDegrees;
  // a unit applies to a whole log: if several joints may be in degrees, they are
  const double least_gain = has_limits && is_alone ? kSharpRatio : kRatioGain;
  const bool is_a_gear =
      found.is_told && unlike_degrees && score_otherwise - found.score > least_gain;
  search.settle(k, is_a_gear ? found.ratio : other);
  return is_a_gear ? std::optional<double>(found.ratio) : std::nullopt;
}

/// A unit applies to a whole log: if most joints in question are in degrees, a ratio near that of
/// degrees is not a gear.
void take_degrees_of_most(const LogFacts& log, const std::vector<int>& joints,
                          std::vector<std::optional<double>>& motor_turns) {
  constexpr double kNearDegrees = 0.7;  // log of a factor
  const auto turns_of_joint = [&](int joint) -> std::optional<double>& {
    return motor_turns[static_cast<std::size_t>(joint)];
  };
  const auto num_degrees = std::count_if(
      joints.begin(), joints.end(), [&](int joint) { return !turns_of_joint(joint).has_value(); });
  if (2 * num_degrees <= std::ssize(joints)) return;
  for (const int joint : joints) {
    const Extremes range = logged_range(log, joint);
    std::optional<double>& turns = turns_of_joint(joint);
    if (turns && std::abs(std::log(*turns / kTurnsOfADegree)) < kNearDegrees &&
        are_evidently_degrees(range.low, range.high,
                              log.robot.coordinates[static_cast<std::size_t>(joint)]))
      turns.reset();
  }
}

}  // namespace

Result<Done> find_motor_turns(LogFacts& log, const Log& file, const Progress& progress) {
  log.motor_turns.assign(log.robot.coordinates.size(), {});
  std::vector<int> joints;
  for (const JointLog& joint : log.joints)
    if (cannot_be_its_own(logged_range(log, joint.joint), log.coordinate(joint)))
      joints.push_back(joint.joint);
  if (joints.empty() || log.robot.floating_base) return Done{};
  auto clean = condition_for_tests(file, log, progress);
  if (!clean && clean.error().is_stop) return clean.error();
  auto test = clean ? TorqueTest::make(log, clean->samples) : Result<TorqueTest>(clean.error());
  if (!test) return Done{};  // later rules report the reason
  RatioSearch search(log, *test, joints);
  // with several joints, search the first ones again given the ratios of the others
  for (int round = 0; round < (joints.size() > 1 ? 2 : 1); ++round)
    for (std::size_t k = 0; k < joints.size(); ++k) {
      auto turns = turns_of(search, k, logged_range(log, joints[k]), joints.size() == 1);
      if (!turns) return Done{};
      log.motor_turns[static_cast<std::size_t>(joints[k])] = *turns;
    }
  take_degrees_of_most(log, joints, log.motor_turns);
  return Done{};
}

MaybeLogEvidence position_motor_side(const LogFacts& log, const JointLog& joint) {
  const std::optional<double>& turns = log.motor_turns[static_cast<std::size_t>(joint.joint)];
  if (!turns) return {};
  const Coordinate& coordinate = log.coordinate(joint);
  const Extremes range = logged_range(log, joint.joint);
  const std::string where =
      fmt::format("positions from {:.4g} to {:.4g} rad", range.low, range.high);
  if (!std::isfinite(*turns))
    return LogEvidence{
        fmt::format(
            "{}, {:.3g} times what the limits allow: they may be measured on the motor side of a "
            "gear",
            where, range.width() / allowed(coordinate)),
        range.width() / allowed(coordinate), "1",
        "set log.position_scale for this joint to 1 / gear ratio"};
  LogEvidence evidence{
      fmt::format(
          "{}: measured on the motor side; the torques suggest a gear ratio of about {:.4g}", where,
          *turns),
      *turns, "1"};
  evidence.fix.yaml =
      option_yaml({"log", "position_scale", 1}, log.options.log.position_scale, log.robot,
                  [&](int k, double old) { return k == joint.joint ? old / *turns : old; });
  evidence.fix.undo = scaled_motion(joint.joint, 1 / *turns);
  evidence.remedy = "add to the configuration, preferably with the exact gear ratio: " +
                    evidence.fix.yaml.substr(0, evidence.fix.yaml.size() - 1);
  return evidence;
}

}  // namespace heft::check
