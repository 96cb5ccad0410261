#include "limits.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "base/number_text.hpp"
#include "base/random_stream.hpp"
#include "files/name_hint.hpp"
#include "model/units.hpp"

namespace heft::excite {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Defaults of missing limits: gentle, for a first motion.
constexpr double kTurningSpeed = 1, kSlidingSpeed = 0.25;          // [rad/s], [m/s]
constexpr double kTimeToSpeed = 0.25, kTimeToAcceleration = 0.05;  // [s]
constexpr double kSlidingRange = 0.25;                             // [m] to both sides

bool is_limit(double value) {
  return std::isfinite(value) && value > 0;
}

/// Whether a robot file's limit is usable: values such as 0, 1e-320 or 1e300 are placeholders.
bool is_usable(double value, double smallest) {
  constexpr double kLargestLimit = 1e12;
  return value >= smallest && value <= kLargestLimit;
}

class LimitMaker {
 public:
  LimitMaker(const Robot& robot, const LimitOptions& options) : robot_(robot), options_(options) {}

  Result<Limits> make() {
    const LimitRule* const rules[] = {&options_.position, &options_.velocity,
                                      &options_.acceleration, &options_.jerk, &options_.torque};
    for (int kind = 0; kind < kNumLimitKinds; ++kind)
      HEFT_CHECK(check_rule(*rules[kind], kLimitNames[kind]));
    const int n = robot_.num_coordinates();
    limits_.middle = limits_.effort = Eigen::VectorXd::Zero(n);
    for (Eigen::VectorXd& size : limits_.size) size = Eigen::VectorXd::Zero(n);
    for (int k = 0; k < n; ++k) HEFT_CHECK(put_joint(k));
    if (limits_.size[kPosition].isZero(0))
      return Error{
          "limits.position",
          "no joint can move: both limits of every joint are equal, " + robot_.coordinates[0].name +
              " stays at " + number_text(limits_.middle[0]),
          "add lower and upper to <limit> in the robot file, or write limits.position.values"};
    HEFT_CHECK(add_couplings(robot_, options_, limits_));
    limits_.torque_deviations = options_.torque_deviations.value_or(2);
    if (!(limits_.torque_deviations >= 0))
      return Error{"limits.torque.deviations", "is negative",
                   "give 0 to trust the robot file, or 2 to allow for its errors"};
    return limits_;
  }

 private:
  Result<Done> check_rule(const LimitRule& rule, const std::string& name) const {
    std::vector<std::string> joints;
    for (const Coordinate& coordinate : robot_.coordinates) joints.push_back(coordinate.name);
    const auto check_name = [&](const std::string& joint) -> Result<Done> {
      if (std::find(joints.begin(), joints.end(), joint) != joints.end()) return Done{};
      return Error{"limits." + name, "the robot has no movable joint '" + joint + "'",
                   name_hint(joint, joints, "it has")};
    };
    for (const auto& [joint, value] : rule.values) {
      HEFT_CHECK(check_name(joint));
      if (!is_limit(value))
        return Error{
            "limits." + name,
            "the limit of " + joint + " must be positive and finite, not " + number_text(value),
            "write a positive number"};
    }
    for (const auto& [joint, range] : rule.ranges) HEFT_CHECK(check_name(joint));
    if (!(rule.scale > 0) || !std::isfinite(rule.scale))
      return Error{"limits." + name + ".scale",
                   "must be positive and finite, not " + number_text(rule.scale),
                   "write a positive number, e.g. 0.8 for four fifths of the limit"};
    return Done{};
  }

  void assume(const std::string& joint, const std::string& what) {
    limits_.assumed.push_back(joint + ": " + what);
  }

  Result<Done> put_joint(int k) {
    const Coordinate& joint = robot_.coordinates[k];
    HEFT_CHECK(put_position(k, joint));
    const auto given = [&](const LimitRule& rule) {
      const auto found = rule.values.find(joint.name);
      return found == rule.values.end() ? 0.0 : found->second;
    };
    const std::string unit = position_unit(joint.is_angle);
    double velocity = given(options_.velocity);
    if (velocity == 0) velocity = is_usable(joint.max_velocity, 1e-6) ? joint.max_velocity : 0;
    if (velocity == 0) {
      velocity = joint.is_angle ? kTurningSpeed : kSlidingSpeed;
      assume(joint.name, "velocity " + number_text(velocity) + " " + unit +
                             "/s, because the robot file has no usable limit");
    }
    double acceleration = given(options_.acceleration);
    if (acceleration == 0) {
      acceleration = velocity / kTimeToSpeed;
      assume(joint.name, "acceleration " + number_text(acceleration) + " " + unit +
                             "/s^2, its velocity limit in " + number_text(kTimeToSpeed) + " s");
    }
    double jerk = given(options_.jerk);
    if (jerk == 0) {
      jerk = acceleration / kTimeToAcceleration;
      assume(joint.name, "jerk " + number_text(jerk) + " " + unit +
                             "/s^3, its acceleration limit in " + number_text(kTimeToAcceleration) +
                             " s");
    }
    double torque = given(options_.torque);
    if (torque == 0) torque = is_usable(joint.max_effort, 1e-30) ? joint.max_effort : 0;
    if (torque == 0) {
      torque = kInfinity;
      assume(joint.name, "no torque limit, because the robot file has none");
    }
    limits_.effort[k] = torque;
    limits_.size[kVelocity][k] = options_.velocity.scale * velocity;
    limits_.size[kAcceleration][k] = options_.acceleration.scale * acceleration;
    limits_.size[kJerk][k] = options_.jerk.scale * jerk;
    limits_.size[kTorque][k] = options_.torque.scale * torque;
    return Done{};
  }

  Result<Done> put_position(int k, const Coordinate& joint) {
    double lower = joint.lower, upper = joint.upper;
    const bool is_of_file = !options_.position.ranges.contains(joint.name) &&
                            !options_.position.values.contains(joint.name);
    if (const auto found = options_.position.ranges.find(joint.name);
        found != options_.position.ranges.end())
      lower = found->second.first, upper = found->second.second;
    if (const auto found = options_.position.values.find(joint.name);
        found != options_.position.values.end())
      lower = -found->second, upper = found->second;
    if (std::isnan(lower) || std::isnan(upper) || lower > upper)
      return Error{joint.name,
                   "position limits must be in ascending order, not " + number_text(lower) +
                       " to " + number_text(upper),
                   "fix the robot file, or write limits.position.values"};
    if (!std::isfinite(lower) || !std::isfinite(upper)) {
      const double range = joint.is_angle ? std::numbers::pi : kSlidingRange;
      if (!std::isfinite(lower) && !std::isfinite(upper))
        lower = -range, upper = range;
      else if (std::isfinite(lower))
        upper = lower + 2 * range;
      else
        lower = upper - 2 * range;
      assume(joint.name, "position " + number_text(lower) + " to " + number_text(upper) + " " +
                             position_unit(joint.is_angle) +
                             ", because at least one position limit is missing");
    }
    limits_.middle[k] = 0.5 * (lower + upper);
    limits_.size[kPosition][k] = 0.5 * options_.position.scale * (upper - lower);
    if (lower == upper)
      assume(
          joint.name,
          "stays at " + number_text(lower) + ", because its limits are equal" +
              (is_of_file ? " or missing in the robot file; limits.position.values free it" : ""));
    return Done{};
  }

  const Robot& robot_;
  const LimitOptions& options_;
  Limits limits_;
};

}  // namespace

Result<Limits> make_limits(const Robot& robot, const LimitOptions& options) {
  return LimitMaker(robot, options).make();
}

MotionSamples random_states(const Limits& limits, int count) {
  RandomStream random(1);
  const Eigen::Index n = limits.middle.size();
  MotionSamples states{.time = Eigen::VectorXd::LinSpaced(count, 0, 1)};
  for (Eigen::ArrayXXd* values : {&states.position, &states.velocity, &states.acceleration})
    values->resize(count, n);
  for (Eigen::Index k = 0; k < n; ++k)
    for (int s = 0; s < count; ++s) {
      const bool locked = limits.is_locked(static_cast<int>(k));
      states.position(s, k) = limits.middle[k] + limits.size[kPosition][k] * random.uniform(-1, 1);
      states.velocity(s, k) = locked ? 0 : 0.4 * limits.size[kVelocity][k] * random.normal();
      states.acceleration(s, k) =
          locked ? 0 : 0.3 * limits.size[kAcceleration][k] * random.normal();
    }
  // toward rest in the center until couplings allow it
  for (int s = 0; s < count && limits.couplings.count() > 0; ++s) {
    const CouplingLimits& couplings = limits.couplings;
    const Eigen::VectorXd off = states.position.row(s).transpose().matrix() - limits.center;
    double share = 1;
    while (couplings.worst(limits.center + share * off) > 1) share *= 0.9;
    states.position.row(s) = (limits.center + share * off).transpose().array();
    const auto excess = [&](const Eigen::ArrayXXd& values, int kind) {
      const Eigen::ArrayXd sums = (couplings.factors * values.row(s).transpose().matrix()).array();
      return std::max(1.0, (sums.abs() / couplings.size[kind].array()).maxCoeff());
    };
    states.velocity.row(s) /= excess(states.velocity, kVelocity);
    states.acceleration.row(s) /= excess(states.acceleration, kAcceleration);
  }
  return states;
}

}  // namespace heft::excite
