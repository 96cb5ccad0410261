// Limits of all joints, numbers at last: of the robot file, of the options, or assumed.
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

/// Sums of joints that have limits of their own: |value of factors . q| <= size, of positions about
/// `middle`.
struct CouplingLimits {
  std::vector<std::string> names;
  Eigen::MatrixXd factors;        ///< a row a coupling, a column a coordinate
  Eigen::VectorXd middle;         ///< of positions
  Eigen::VectorXd size[kTorque];  ///< of position, velocity, acceleration, jerk; infinite: none

  Eigen::Index count() const { return middle.size(); }
  /// The sums of a motion of all joints, which is again one, of as many coordinates.
  CoefficientMotion of(const CoefficientMotion& motion) const {
    return {motion.shape, motion.coefficients * factors.transpose()};
  }
  /// The largest |sum - middle| / size of a posture; 0 without couplings.
  double worst(const Eigen::VectorXd& posture) const;
};

struct Limits {
  Eigen::VectorXd middle;                ///< of the positions of every coordinate
  Eigen::VectorXd size[kNumLimitKinds];  ///< |value| <= size, of positions |q - middle|; infinite:
                                         ///< none
  Eigen::VectorXd effort;  ///< of the robot file or the options, before the scale; infinite: none
  CouplingLimits couplings;
  Eigen::VectorXd center;  ///< a posture well within all limits of position: the middle, if
                           ///< couplings allow that
  double torque_deviations = 0;
  std::vector<std::string> assumed;  ///< what neither file nor options say, in words

  bool is_locked(int coordinate) const { return size[kPosition][coordinate] == 0; }
};

/// Errors name joint and limit: a joint that does not exist, limits that contradict, or that are
/// not positive; a coupling of nothing, without limits, or that no posture keeps.
Result<Limits> make_limits(const Robot& robot, const LimitOptions& options);

/// The part of them that couplings are: adds couplings and center to limits that have the rest.
Result<Done> add_couplings(const Robot& robot, const LimitOptions& options, Limits& limits);

/// So many states all over the limits: what rows of this robot can be.
MotionSamples random_states(const Limits& limits, int count);

}  // namespace heft::excite
