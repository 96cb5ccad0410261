// Information content and limit use of a sampled motion of any shape.
#pragma once

#include "heft/excite/design.hpp"
#include "information.hpp"
#include "limits.hpp"

namespace heft::excite {

struct Assessment {
  Eigen::MatrixXd G;                  ///< of the counted samples, lower triangle
  Eigen::ArrayXXd torque, deviation;  ///< samples x channels
  std::vector<LimitUse> limits;       ///< by kind, then by joint; none is proved
};

/// Assesses a motion. `seconds`: total duration of the samples; `counts`: samples that carry
/// information, all if empty.
Assessment assess(const Information& information, const Limits& limits,
                  const MotionSamples& samples, double seconds, const std::vector<bool>& counts);

/// Samples a motion at i duration / num_samples; `with_end` adds the last instant.
MotionSamples sampled(const CoefficientMotion& motion, int num_samples, bool with_end);

/// Limit use of a coupling. Lists place couplings after joints, by kind, then by coupling.
LimitUse use_of_coupling(const CouplingLimits& couplings, int kind, Eigen::Index j);

/// Replaces the uses of position, velocity, acceleration and jerk by bounds that hold at all times.
void prove(const CoefficientMotion& motion, const Limits& limits, std::vector<LimitUse>& uses);

/// Does the same for torques where such a bound is available.
void prove_torques(const Information& information, const Limits& limits,
                   const CoefficientMotion& motion, std::vector<LimitUse>& uses);

/// Returns the use that is largest relative to its limit.
const LimitUse& worst_of(const std::vector<LimitUse>& uses);

}  // namespace heft::excite
