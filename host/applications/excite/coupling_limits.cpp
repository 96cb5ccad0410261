// Limits of sums of joints, such as a motor that drives two joints or a parallelogram whose bars
// touch.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/number_text.hpp"
#include "files/name_hint.hpp"
#include "limits.hpp"

namespace heft::excite {

namespace {

using Eigen::Index;
using Eigen::VectorXd;

Result<VectorXd> factors_of(const CouplingRule& rule, const Robot& robot,
                            const std::string& where) {
  std::vector<std::string> joints;
  for (const Coordinate& coordinate : robot.coordinates) joints.push_back(coordinate.name);
  VectorXd factors = VectorXd::Zero(robot.num_coordinates());
  for (const auto& [joint, factor] : rule.of) {
    const auto found = std::find(joints.begin(), joints.end(), joint);
    if (found == joints.end())
      return Error{where, "the robot has no movable joint '" + joint + "'",
                   name_hint(joint, joints, "it has")};
    if (!std::isfinite(factor))
      return Error{where, "the factor of " + joint + " must be finite, not " + number_text(factor),
                   "write a finite number"};
    factors[found - joints.begin()] = factor;
  }
  if (factors.isZero())
    return Error{where, "has no joint with a nonzero factor",
                 "write the factors of the sum, such as of: {joint_5: 1, joint_6: -0.5}"};
  return factors;
}

/// Sets middle and sizes of coupling j.
Result<Done> put_sizes(const CouplingRule& rule, const std::string& where, Index j,
                       CouplingLimits& couplings) {
  if (!rule.position && !rule.velocity && !rule.acceleration && !rule.jerk)
    return Error{where, "has no limits",
                 "write position: [lower, upper], velocity, acceleration or jerk"};
  if (rule.position) {
    const auto [lower, upper] = *rule.position;
    if (lower == upper)
      return Error{where, "fixes the sum of its joints: both limits are " + number_text(lower),
                   "declare a joint that follows another with <mimic> in the robot file"};
    if (!(lower < upper) || !std::isfinite(lower) || !std::isfinite(upper))
      return Error{where,
                   "position limits must be finite and in ascending order, not " +
                       number_text(lower) + " to " + number_text(upper),
                   "write position: [lower, upper]"};
    couplings.middle[j] = 0.5 * (lower + upper);
    couplings.size[kPosition][j] = 0.5 * (upper - lower);
  }
  const std::pair<int, std::optional<double>> others[] = {
      {kVelocity, rule.velocity}, {kAcceleration, rule.acceleration}, {kJerk, rule.jerk}};
  for (const auto& [kind, value] : others) {
    if (!value) continue;
    if (!(*value > 0) || !std::isfinite(*value))
      return Error{where,
                   std::string(kLimitNames[kind]) + " must be positive and finite, not " +
                       number_text(*value),
                   "write a positive number"};
    couplings.size[kind][j] = *value;
  }
  return Done{};
}

/// Moves the middle posture so that no coupling uses more than half of its range, if possible, by
/// alternating projections onto each coupling and onto the joint limits.
VectorXd center_of(const Limits& limits) {
  constexpr int kRounds = 2000;
  constexpr double kShare = 0.5, kOfJoints = 0.95;
  const CouplingLimits& couplings = limits.couplings;
  VectorXd q = limits.middle;
  for (int round = 0; round < kRounds && couplings.worst(q) > kShare * (1 + 1e-9); ++round) {
    for (Index j = 0; j < couplings.count(); ++j) {
      VectorXd factors = couplings.factors.row(j).transpose();
      for (Index k = 0; k < q.size(); ++k)
        if (limits.is_locked(static_cast<int>(k))) factors[k] = 0;
      const double off = couplings.factors.row(j).dot(q) - couplings.middle[j],
                   excess = off - std::clamp(off, -kShare * couplings.size[kPosition][j],
                                             kShare * couplings.size[kPosition][j]);
      if (factors.squaredNorm() > 0) q -= excess / factors.squaredNorm() * factors;
    }
    const VectorXd reach = kOfJoints * limits.size[kPosition];
    q = q.cwiseMax(limits.middle - reach).cwiseMin(limits.middle + reach);
  }
  return q;
}

}  // namespace

double CouplingLimits::worst(const VectorXd& posture) const {
  if (count() == 0) return 0;
  return ((factors * posture - middle).cwiseAbs().array() / size[kPosition].array()).maxCoeff();
}

Result<Done> add_couplings(const Robot& robot, const LimitOptions& options, Limits& limits) {
  CouplingLimits& couplings = limits.couplings;
  const auto count = static_cast<Index>(options.couplings.size());
  couplings.factors.resize(count, robot.num_coordinates());
  couplings.middle = VectorXd::Zero(count);
  for (VectorXd& size : couplings.size)
    size = VectorXd::Constant(count, std::numeric_limits<double>::infinity());
  for (Index j = 0; j < count; ++j) {
    const CouplingRule& rule = options.couplings[static_cast<std::size_t>(j)];
    const std::string where =
        "limits.couplings: " + (rule.name.empty() ? "number " + std::to_string(j + 1) : rule.name);
    if (rule.name.empty()) return Error{where, "has no name", "write name: motor_6"};
    if (std::find(couplings.names.begin(), couplings.names.end(), rule.name) !=
        couplings.names.end())
      return Error{where, "is given twice", "rename one of them"};
    HEFT_TRY(factors, factors_of(rule, robot, where));
    couplings.factors.row(j) = factors.transpose();
    HEFT_CHECK(put_sizes(rule, where, j, couplings));
    couplings.names.push_back(rule.name);
  }
  limits.center = center_of(limits);
  if (couplings.worst(limits.center) < 1) return Done{};
  Index worst = 0;
  ((couplings.factors * limits.center - couplings.middle).cwiseAbs().array() /
   couplings.size[kPosition].array())
      .maxCoeff(&worst);
  return Error{"limits.couplings: " + couplings.names[static_cast<std::size_t>(worst)],
               "no posture satisfies the limits of the joints and of all couplings",
               "widen its position limits, or limits.position"};
}

}  // namespace heft::excite
