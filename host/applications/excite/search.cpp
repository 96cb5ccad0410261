#include "search.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "base/random_stream.hpp"
#include "extremes.hpp"
#include "lbfgs.hpp"
#include "torque_bound.hpp"

namespace heft::excite {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Margin inside the limits, so that the motion seldom exceeds them between samples.
constexpr double kTightness = 0.998;
/// Additional margin for a torque that exceeded its limit, per round.
constexpr double kTorqueStepBack = 0.995;
/// Additional clearance of spheres over hulls, for the motion between samples [m].
constexpr double kClearanceToSpare = 1e-3;
/// Additional distance for a pair that came too close, beyond the missing clearance [m].
constexpr double kClearanceStepBack = 1e-3, kMeetingStepBack = 0.01;
/// If no descent resolves a collision or torque violation, joint motion shrinks by this factor,
/// repeatedly.
constexpr double kRetreat = 0.75;
constexpr int kMaxRetreats = 24;
/// Descents back to a larger motion, and the rounds of each.
constexpr int kRegains = 6, kRegainRounds = 2;
/// A motion this close to its limits counts as on them.
constexpr double kFeasible = 1 - 1e-9;

class Start {
 public:
  Start(const Task& task, const StartOptions& options)
      : task_(task), options_(options), n_(task.information->plan->num_channels()) {
    task_.num_samples = options.num_samples;
    task_.tightness = Eigen::ArrayXXd::Constant(kNumLimitKinds, n_, kTightness);
    if (task_.spheres != nullptr) {
      task_.wanted.resize(static_cast<Eigen::Index>(task_.spheres->groups().size()));
      for (Eigen::Index g = 0; g < task_.wanted.size(); ++g) {
        const SpherePairs::Group& group = task_.spheres->groups()[g];
        task_.wanted[g] = wanted_of(group) + kClearanceToSpare - group.surplus;
      }
    }
    if (!options.rest) return;
    const int K = task.shape.num_coefficients();
    held_ = MatrixXd::Zero(K, task.shape.is_spline() ? 2 : 1);
    if (task.shape.is_spline()) {
      held_(0, 0) = held_(K - 1, 1) = 1;
    } else {
      const BasisRow at_start = basis_row(task.shape, 0, 0);
      held_.col(0) = Eigen::Map<const VectorXd>(at_start.values.data(), K).normalized();
    }
  }

  StartResult run() {
    result_.motion = {task_.shape, still()};
    const MatrixXd from = options_.coefficients ? *options_.coefficients : random_coefficients();
    coefficients() += free_part(from - coefficients());
    scale_into_limits();
    std::optional<StartResult> begun;
    if (options_.coefficients) {
      check();
      put_objective();
      begun = result_;
    }
    descend_within_limits(options_.rounds, true);
    repair();
    // the start itself may be the best motion
    if (begun && begun->feasible && !(result_.feasible && result_.objective < begun->objective)) {
      begun->evaluations = result_.evaluations;
      result_ = *begun;
    }
    return result_;
  }

 private:
  double wanted_of(const SpherePairs::Group& group) const {
    return task_.spheres->model().pairs[group.pair].wanted;
  }
  bool goes_on() const { return !options_.goes_on || options_.goes_on(); }
  MatrixXd& coefficients() { return result_.motion.coefficients; }

  /// Projection of a change of coefficients that keeps locked joints and both end points fixed.
  MatrixXd free_part(MatrixXd change) const {
    for (int k = 0; k < n_; ++k)
      if (task_.limits->is_locked(k)) change.col(k).setZero();
    if (held_.size() > 0) change -= held_ * (held_.transpose() * change);
    return change;
  }

  /// The posture that remains when a motion is scaled to zero.
  const VectorXd& center() const { return options_.rest ? *options_.rest : options_.center; }
  /// Coefficients of a motion at rest.
  MatrixXd still() const {
    MatrixXd C = MatrixXd::Zero(task_.shape.num_coefficients(), n_);
    if (task_.shape.is_spline()) return center().transpose().replicate(C.rows(), 1);
    if (task_.shape.kind == ExcitationMotion::fourier) C.row(0) = center().transpose();
    if (task_.shape.kind == ExcitationMotion::fourier_rest) {
      // the least coefficients of the constant series: values of a basis that is orthonormal
      VectorXd mean = VectorXd::Zero(C.rows());
      const int samples = 4 * task_.shape.harmonics;
      for (int i = 0; i < samples; ++i) {
        const BasisRow at = basis_row(task_.shape, task_.shape.duration * i / samples, 0);
        mean += Eigen::Map<const VectorXd>(at.values.data(), C.rows()) / samples;
      }
      C = mean * center().transpose() / mean.squaredNorm();
    }
    return C;
  }

  /// Slow waves of random size and phase.
  MatrixXd random_coefficients() {
    RandomStream random(options_.seed);
    MatrixXd C = still();
    constexpr int kWaves = 4;
    for (int k = 0; k < n_; ++k) {
      const double size = 0.25 * task_.limits->size[kPosition][k];
      if (task_.shape.is_spline()) {
        for (int h = 1; h <= kWaves; ++h) {
          const double amplitude = size * random.normal() / std::sqrt(h),
                       phase = random.uniform(0, 2 * std::numbers::pi);
          for (Eigen::Index i = 0; i < C.rows(); ++i)
            C(i, k) += amplitude * std::sin(2 * std::numbers::pi * h * static_cast<double>(i) /
                                                static_cast<double>(C.rows()) +
                                            phase);
        }
        if (task_.shape.kind == ExcitationMotion::poses)
          for (Eigen::Index i = 0; i < C.rows(); ++i)
            C(i, k) = center()[k] + 2 * size * random.uniform(-1, 1);
      } else {
        for (Eigen::Index i = 1; i < C.rows(); ++i)
          C(i, k) += size * random.normal() / std::sqrt(static_cast<double>(i));
      }
    }
    return C;
  }

  /// The largest factor of a motion about `rest` for which |value - middle| <= size holds for
  /// coordinate k: deviations from `rest` scale with the motion.
  static double share_within(const CoefficientMotion& motion, int k, int order, double rest,
                             double middle, double size) {
    double share = 1;
    if (!std::isfinite(size)) return share;
    for (const int side : {1, -1}) {
      const double reached = upper_bound(motion, k, order, side).value - side * middle,
                   from = side * (rest - middle), most = kFeasible * size;
      if (reached > most) share = std::min(share, std::max(0.0, (most - from) / (reached - from)));
    }
    return share;
  }

  /// Enforces the limits on position, velocity, acceleration and jerk at all times by scaling the
  /// motion.
  void scale_into_limits() {
    const Limits& limits = *task_.limits;
    const CouplingLimits& couplings = limits.couplings;
    const VectorXd sums_at_rest = couplings.factors * center();
    const CoefficientMotion sums = couplings.of(result_.motion);
    double share = 1;
    for (int order = 0; order < kTorque; ++order) {
      const auto place = [&](double position) { return order == kPosition ? position : 0; };
      for (int k = 0; k < n_; ++k)
        if (!limits.is_locked(k))
          share = std::min(share, share_within(result_.motion, k, order, place(center()[k]),
                                               place(limits.middle[k]), limits.size[order][k]));
      for (int j = 0; j < couplings.count(); ++j)
        share = std::min(share, share_within(sums, j, order, place(sums_at_rest[j]),
                                             place(couplings.middle[j]), couplings.size[order][j]));
    }
    const MatrixXd at_rest = still();
    coefficients() = at_rest + share * (coefficients() - at_rest);
  }

  /// Rounds of the augmented Lagrangian; the multipliers persist between calls.
  void descend_within_limits(int rounds, bool from_scratch) {
    Scorer scorer(task_);
    if (from_scratch) multipliers_ = scorer.no_multipliers();
    VectorXd x = Eigen::Map<const VectorXd>(coefficients().data(), coefficients().size());
    const SmoothFunction lagrangian = [&](const VectorXd& at, VectorXd& gradient) {
      const Eigen::Map<const MatrixXd> C(at.data(), coefficients().rows(), n_);
      MatrixXd slope;
      const double value = scorer.value(C, &multipliers_, &slope);
      if (std::isfinite(value)) slope = free_part(std::move(slope));
      gradient = Eigen::Map<const VectorXd>(slope.data(), slope.size());
      return value;
    };
    for (int round = 0; round < rounds && goes_on(); ++round) {
      result_.evaluations +=
          descend(lagrangian, x, {.max_steps = options_.steps, .goes_on = options_.goes_on});
      scorer.value(Eigen::Map<const MatrixXd>(x.data(), coefficients().rows(), n_), nullptr,
                   nullptr);
      ++result_.evaluations;
      scorer.raise(multipliers_);
      if (scorer.worst() > 1 + 1e-3) multipliers_.mu = std::min(2.5 * multipliers_.mu, 1e4);
    }
    coefficients() = Eigen::Map<const MatrixXd>(x.data(), coefficients().rows(), n_);
  }

  /// Resolves violations between samples: torques by tighter limits and another descent, all else
  /// by scaling the motion.
  void repair() {
    constexpr int kTries = 12;
    for (int i = 0; i < kTries; ++i) {
      scale_into_limits();
      check();
      if (result_.feasible || !goes_on()) break;
      keep_apart();
      for (int k = 0; k < n_; ++k)
        if (const double ratio = result_.limits[kTorque * n_ + k].worst_ratio; ratio > 1)
          task_.tightness(kTorque, k) *= kTorqueStepBack / ratio;
      descend_within_limits(2, false);
    }
    if (!result_.feasible) {  // result of the last descent
      scale_into_limits();
      check();
    }
    const bool has_to_retreat = is_too_near() || (is_over_torque() && can_stand());
    for (int i = 0; i < kMaxRetreats && has_to_retreat && !result_.feasible; ++i) {
      retreat();
      check();
    }
    put_objective();
    if (has_to_retreat)
      for (int i = 0; i < kRegains && result_.feasible && goes_on(); ++i)
        if (!regain()) break;
  }

  void put_objective() {
    Scorer scorer(task_);
    scorer.value(coefficients(), nullptr, nullptr);
    result_.objective = scorer.objective();
  }

  /// Descends again from a feasible motion and moves toward the result as far as the motion stays
  /// feasible and improves.
  bool regain() {
    const StartResult kept = result_;
    descend_within_limits(kRegainRounds, false);
    scale_into_limits();
    const MatrixXd there = coefficients();
    for (const double share : {1.0, 0.6, 0.3, 0.1}) {
      coefficients() = kept.motion.coefficients + share * (there - kept.motion.coefficients);
      check();
      if (share == 1) keep_apart();
      put_objective();
      if (result_.feasible && result_.objective < kept.objective) return true;
    }
    const long evaluations = result_.evaluations;
    result_ = kept;
    result_.evaluations = evaluations;
    return false;
  }

  void check() {
    result_.limits = check_limits(task_, result_.motion);
    if (task_.spheres != nullptr)
      result_.clearance = check_clearance(task_.spheres->model(), *task_.limits, result_.motion);
    result_.feasible = worst_of(result_.limits).worst_ratio <= 1 && !is_too_near();
  }

  bool is_over_torque() const {
    for (int k = 0; k < n_; ++k)
      if (result_.limits[kTorque * n_ + k].worst_ratio > 1) return true;
    return false;
  }
  /// Whether the motors can hold the robot at the posture that remains when the motion is scaled to
  /// zero.
  bool can_stand() const {
    return worst_of(check_limits(task_, {task_.shape, still()})).worst_ratio <= 1;
  }

  bool is_too_near() const {
    return result_.clearance && result_.clearance->worst.value < result_.clearance->worst.wanted;
  }

  /// Shrinks the motion of joints toward `center`: of all joints if a torque exceeds its limit,
  /// otherwise of the joints between the links of each pair that comes too close.
  void retreat() {
    Eigen::ArrayXd share = Eigen::ArrayXd::Constant(n_, is_over_torque() ? kRetreat : 1);
    if (is_too_near()) {
      const CollisionModel& model = task_.spheres->model();
      for (std::size_t p = 0; p < model.pairs.size(); ++p) {
        if (result_.clearance->pairs[p].value >= model.pairs[p].wanted) continue;
        for (const int k : model.coordinates_between(model.pairs[p])) share[k] = kRetreat;
      }
    }
    const MatrixXd at_rest = still();
    coefficients() = at_rest + (coefficients() - at_rest) * share.matrix().asDiagonal();
  }

  /// Increases the required distance of pairs that came too close.
  void keep_apart() {
    if (!result_.clearance) return;
    for (Eigen::Index g = 0; g < task_.wanted.size(); ++g) {
      const SpherePairs::Group& group = task_.spheres->groups()[g];
      const double value = result_.clearance->pairs[group.pair].value;
      if (value >= wanted_of(group)) continue;
      task_.wanted[g] +=
          wanted_of(group) - value + (value > 0 ? kClearanceStepBack : kMeetingStepBack);
    }
  }

  Task task_;
  const StartOptions& options_;
  int n_;
  MatrixXd held_;  ///< orthonormal columns: directions in which no coordinate's coefficients change
  Multipliers multipliers_;
  StartResult result_;
};

}  // namespace

std::vector<LimitUse> check_limits(const Task& task, const CoefficientMotion& motion) {
  const int num_samples =
      std::max(task.num_samples, static_cast<int>(std::ceil(motion.shape.duration / kTorqueStep)));
  Assessment found = assess(*task.information, *task.limits, sampled(motion, num_samples, true),
                            motion.shape.duration, {});
  prove(motion, *task.limits, found.limits);
  if (worst_of(found.limits).worst_ratio <= 1)
    prove_torques(*task.information, *task.limits, motion, found.limits);
  return found.limits;
}

ClearanceFound check_clearance(const CollisionModel& model, const Limits& limits,
                               const CoefficientMotion& motion) {
  const int n = motion.num_coordinates();
  VectorXd acceleration(n);
  for (int k = 0; k < n; ++k)
    acceleration[k] = limits.is_locked(k) ? 0
                                          : std::max({upper_bound(motion, k, 2, 1).value,
                                                      upper_bound(motion, k, 2, -1).value, 0.0});
  const MotionInTime in_time{.duration = motion.shape.duration,
                             .at =
                                 [&](double time, VectorXd& q, VectorXd& qd) {
                                   q = motion.at(time, 0);
                                   qd = motion.at(time, 1);
                                 },
                             .max_acceleration = acceleration};
  return prove_clearance(model, in_time);
}

StartResult search_from(const Task& task, const StartOptions& options) {
  return Start(task, options).run();
}

}  // namespace heft::excite
