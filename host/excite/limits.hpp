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
inline constexpr const char* kLimitNames[] = {"position", "velocity", "acceleration", "jerk", "torque"};

struct Limits {
  Eigen::VectorXd middle;                ///< of the positions of every coordinate
  Eigen::VectorXd size[kNumLimitKinds];  ///< |value| <= size, of positions |q - middle|; infinite: none
  Eigen::VectorXd effort;  ///< of the robot file or the options, before the scale; infinite: none
  double torque_deviations = 0;
  std::vector<std::string> assumed;  ///< what neither file nor options say, in words

  bool is_locked(int coordinate) const { return size[kPosition][coordinate] == 0; }
};

/// Errors name joint and limit: a joint that does not exist, limits that contradict, or that are not positive.
Result<Limits> make_limits(const Robot& robot, const LimitOptions& options);

}  // namespace heft::excite
