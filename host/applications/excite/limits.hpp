// Resolved limits of all joints: from the robot file, from the options, or assumed.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/excite/options.hpp"
#include "heft/model/robot.hpp"

namespace heft::excite {

enum LimitKind : int { kPosition, kVelocity, kAcceleration, kJerk, kTorque, kNumLimitKinds };
inline constexpr const char* kLimitNames[] = {"position", "velocity", "acceleration", "jerk",
                                              "torque"};

/// Limits on linear combinations of joints: |factors . q - middle| <= size for positions, and
/// without middle for their derivatives.
struct CouplingLimits {
  std::vector<std::string> names;
  Eigen::MatrixXd factors;        ///< one row per coupling, one column per coordinate
  Eigen::VectorXd middle;         ///< of positions
  Eigen::VectorXd size[kTorque];  ///< of position, velocity, acceleration, jerk; infinite: none

  Eigen::Index count() const { return middle.size(); }
  /// Returns the linear combinations of a motion of all joints, as a motion with one coordinate per
  /// coupling.
  CoefficientMotion of(const CoefficientMotion& motion) const {
    return {motion.shape, motion.coefficients * factors.transpose()};
  }
  /// Returns the largest |sum - middle| / size of a posture; 0 without couplings.
  double worst(const Eigen::VectorXd& posture) const;
};

struct Limits {
  Eigen::VectorXd middle;                ///< of the positions of every coordinate
  Eigen::VectorXd size[kNumLimitKinds];  ///< |value| <= size, of positions |q - middle|; infinite:
                                         ///< none
  Eigen::VectorXd effort;  ///< of the robot file or the options, before the scale; infinite: none
  CouplingLimits couplings;
  Eigen::VectorXd center;  ///< posture well within all position limits: the middle, if couplings
                           ///< allow it
  double torque_deviations = 0;
  std::vector<std::string> assumed;  ///< limits that neither file nor options state, as text

  bool is_locked(int coordinate) const { return size[kPosition][coordinate] == 0; }
};

/// Errors name joint and limit: an unknown joint, limits that are not ascending or not
/// positive; a coupling without joints, without limits, or that no posture satisfies.
Result<Limits> make_limits(const Robot& robot, const LimitOptions& options);

/// Adds couplings and the center to limits that are otherwise complete.
Result<Done> add_couplings(const Robot& robot, const LimitOptions& options, Limits& limits);

/// Returns this many states spread over the limits, which show the rows that this robot can
/// produce.
MotionSamples random_states(const Limits& limits, int count);

}  // namespace heft::excite
