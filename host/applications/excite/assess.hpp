// What a motion tells and how near it comes to its limits, from samples, whatever it was made of.
#pragma once

#include "heft/excite/design.hpp"
#include "information.hpp"
#include "limits.hpp"

namespace heft::excite {

struct Assessment {
  Eigen::MatrixXd G;                  ///< of the samples that count, lower triangle
  Eigen::ArrayXXd torque, deviation;  ///< samples x channels
  std::vector<LimitUse> limits;       ///< kind after kind, joint after joint; none of them proved
};

/// `seconds`: how long the samples are together; `counts`: which of them tell anything, all if it
/// is empty.
Assessment assess(const Information& information, const Limits& limits,
                  const MotionSamples& samples, double seconds, const std::vector<bool>& counts);

/// A motion at so many samples, at i duration / num_samples; with the last instant if `with_end`.
MotionSamples sampled(const CoefficientMotion& motion, int num_samples, bool with_end);

/// Of a limit of a coupling; in lists they stand behind those of joints, kind after kind, coupling
/// after coupling.
LimitUse use_of_coupling(const CouplingLimits& couplings, int kind, Eigen::Index j);

/// Replaces the uses of position, velocity, acceleration and jerk by bounds for all times.
void prove(const CoefficientMotion& motion, const Limits& limits, std::vector<LimitUse>& uses);

/// The same of torques, where that can be proved.
void prove_torques(const Information& information, const Limits& limits,
                   const CoefficientMotion& motion, std::vector<LimitUse>& uses);

/// The use that is largest against its limit.
const LimitUse& worst_of(const std::vector<LimitUse>& uses);

}  // namespace heft::excite
