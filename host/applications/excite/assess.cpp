#include "assess.hpp"

#include <algorithm>
#include <cmath>

#include "channel_rows.hpp"
#include "extremes.hpp"
#include "torque_bound.hpp"

namespace heft::excite {

namespace {

using Eigen::ArrayXXd;
using Eigen::Index;

constexpr Index kBlock = 2048;  ///< samples at a time: memory does not grow with the motion

ArrayXXd part_of(const ArrayXXd& values, Index begin, Index count, Index stride) {
  ArrayXXd part(stride, values.cols());
  part.topRows(count) = values.middleRows(begin, count);
  for (Index s = count; s < stride; ++s) part.row(s) = part.row(count - 1);
  return part;
}

std::vector<LimitUse> uses_of(const Robot& robot, const Limits& limits,
                              const MotionSamples& samples, const ArrayXXd& torque,
                              const ArrayXXd& deviation) {
  const ArrayXXd* const values[] = {&samples.position, &samples.velocity, &samples.acceleration,
                                    &samples.jerk, &torque};
  std::vector<LimitUse> uses;
  for (int kind = 0; kind < kNumLimitKinds; ++kind)
    for (int k = 0; k < robot.num_coordinates(); ++k) {
      LimitUse use{.name = kLimitNames[kind],
                   .joint = robot.coordinates[k].name,
                   .limit = limits.size[kind][k]};
      if (kind == kPosition) use.middle = limits.middle[k];
      if (values[kind]->rows() > 0) {
        Eigen::ArrayXd size = (values[kind]->col(k) - use.middle).abs();
        if (kind == kTorque) size += limits.torque_deviations * deviation.col(k);
        Index at = 0;
        const double largest = size.maxCoeff(&at);
        // a held joint has no limit to compare with
        use.worst_ratio = use.limit > 0 ? largest / use.limit : largest > 1e-9 ? HUGE_VAL : 0;
        use.at_s = samples.time[at];
      }
      uses.push_back(use);
    }
  const CouplingLimits& couplings = limits.couplings;
  for (int kind = 0; kind < kTorque; ++kind)
    for (Index j = 0; j < couplings.count(); ++j) {
      uses.push_back(use_of_coupling(couplings, kind, j));
      if (values[kind]->rows() == 0) continue;
      Index at = 0;
      const Eigen::ArrayXd sums =
          (values[kind]->matrix() * couplings.factors.row(j).transpose()).array() -
          uses.back().middle;
      uses.back().worst_ratio = sums.abs().maxCoeff(&at) / uses.back().limit;
      uses.back().at_s = samples.time[at];
    }
  return uses;
}

}  // namespace

Assessment assess(const Information& information, const Limits& limits,
                  const MotionSamples& samples, double seconds, const std::vector<bool>& counts) {
  const Index size = information.precision.rows(), n = samples.position.cols();
  Assessment result{Eigen::MatrixXd::Zero(size, size), ArrayXXd::Zero(samples.size(), n),
                    ArrayXXd::Zero(samples.size(), n)};
  for (Index begin = 0; begin < samples.size(); begin += kBlock) {
    const Index count = std::min(kBlock, samples.size() - begin);
    ChannelRows rows(information, static_cast<int>(count), limits.torque_deviations > 0);
    const ArrayXXd q = part_of(samples.position, begin, count, rows.stride()),
                   qd = part_of(samples.velocity, begin, count, rows.stride()),
                   qdd = part_of(samples.acceleration, begin, count, rows.stride());
    rows.set(q, qd, qdd, counts.empty());
    rows.put_torques();
    std::vector<bool> of_block;
    if (!counts.empty()) of_block.assign(counts.begin() + begin, counts.begin() + begin + count);
    rows.add_information(seconds * static_cast<double>(count) / static_cast<double>(samples.size()),
                         of_block, result.G);
    result.torque.middleRows(begin, count) = rows.torque().topRows(count);
    if (limits.torque_deviations > 0)
      result.deviation.middleRows(begin, count) = rows.deviation().topRows(count);
  }
  result.limits =
      uses_of(information.plan->robot, limits, samples, result.torque, result.deviation);
  return result;
}

MotionSamples sampled(const CoefficientMotion& motion, int num_samples, bool with_end) {
  const Index rows = num_samples + (with_end ? 1 : 0), n = motion.num_coordinates();
  MotionSamples samples{.time = Eigen::VectorXd(rows)};
  for (ArrayXXd* values :
       {&samples.position, &samples.velocity, &samples.acceleration, &samples.jerk})
    values->resize(rows, n);
  for (Index i = 0; i < rows; ++i) {
    const double time = samples.time[i] =
        motion.shape.duration * static_cast<double>(i) / num_samples;
    samples.position.row(i) = motion.at(time, 0).transpose();
    samples.velocity.row(i) = motion.at(time, 1).transpose();
    samples.acceleration.row(i) = motion.at(time, 2).transpose();
    samples.jerk.row(i) = motion.at(time, 3).transpose();
  }
  return samples;
}

LimitUse use_of_coupling(const CouplingLimits& couplings, int kind, Index j) {
  return {.name = kLimitNames[kind],
          .joint = couplings.names[static_cast<std::size_t>(j)],
          .limit = couplings.size[kind][j],
          .middle = kind == kPosition ? couplings.middle[j] : 0};
}

namespace {

/// Extremes of one coordinate of a motion over all times.
void prove_use(const CoefficientMotion& motion, int coordinate, int kind, LimitUse& use) {
  const Extreme high = upper_bound(motion, coordinate, kind, 1),
                low = upper_bound(motion, coordinate, kind, -1);
  const double above = high.value - use.middle, below = low.value + use.middle;
  use.worst_ratio = std::max(above, below) / use.limit;
  use.at_s = above > below ? high.time : low.time;
}

}  // namespace

void prove(const CoefficientMotion& motion, const Limits& limits, std::vector<LimitUse>& uses) {
  const int n = motion.num_coordinates();
  for (int kind = kPosition; kind <= kJerk; ++kind)
    for (int k = 0; k < n; ++k) {
      LimitUse& use = uses[kind * n + k];
      use.proved = true;
      if (limits.is_locked(k)) {
        use.worst_ratio = 0;
        continue;
      }
      prove_use(motion, k, kind, use);
    }
  const int m = static_cast<int>(limits.couplings.count());
  if (m == 0) return;
  const CoefficientMotion sums = limits.couplings.of(motion);
  for (int kind = kPosition; kind <= kJerk; ++kind)
    for (int j = 0; j < m; ++j) {
      LimitUse& use = uses[kNumLimitKinds * n + kind * m + j];
      use.proved = true;
      prove_use(sums, j, kind, use);
    }
}

void prove_torques(const Information& information, const Limits& limits,
                   const CoefficientMotion& motion, std::vector<LimitUse>& uses) {
  const std::vector<TorqueBound> bounds = bound_torques(information, limits, motion);
  for (std::size_t k = 0; k < bounds.size(); ++k) {
    LimitUse& use = uses[kTorque * bounds.size() + k];
    const double ratio = bounds[k].largest.value / use.limit;
    use.proved = bounds[k].proved;
    if (use.proved || ratio > use.worst_ratio)
      use.worst_ratio = ratio, use.at_s = bounds[k].largest.time;
  }
}

const LimitUse& worst_of(const std::vector<LimitUse>& uses) {
  return *std::max_element(uses.begin(), uses.end(),
                           [](const LimitUse& left, const LimitUse& right) {
                             return left.worst_ratio < right.worst_ratio;
                           });
}

}  // namespace heft::excite
