// Forces at the ends of legs and arms.
#pragma once

#include <Eigen/Geometry>
#include <string>
#include <vector>

#include "base_balance.hpp"

namespace heft::check {

/// The outermost link of a chain.
struct LegEnd {
  std::string link;
  int body = 0;
  Eigen::Isometry3d X_body_link = Eigen::Isometry3d::Identity();
};

/// Returns the outermost link of every body without outward bodies.
Result<std::vector<LegEnd>> leg_ends(const RegressorPlan& plan);

/// The force at an end that the equations of the base lack.
struct EndForce {
  double left = 1;    ///< share of squares that it leaves
  double upward = 0;  ///< its mean against gravity, of the weight
  double size = 0;    ///< its rms, of the weight
};
EndForce force_at(const BaseLog& log, const LegEnd& end);

/// Returns whether a configured wrench acts at an end.
bool has_wrench(const BaseLog& log, const LegEnd& end);

/// Forces at all ends that explain the torques of the joints.
struct LegForces {
  double of_weight = 0;             ///< their sum over the wrench that moves the robot
  double alike = 0;                 ///< share of the sum that is along that wrench
  std::vector<std::string> loaded;  ///< ends with more than a tenth of the weight
};
LegForces leg_forces(const BaseLog& log, const std::vector<LegEnd>& ends);

/// The mean of a contact's force against gravity, of the weight, in rows that its state counts as
/// in contact and in the others; 0 without such rows.
struct StateForces {
  double touching = 0, apart = 0;
};
/// Forces of BaseLog::contacts, of the weight: rows x contacts.
struct ContactForceRows {
  Eigen::ArrayXXd upward;  ///< against gravity
  Eigen::ArrayXXd size;
};
/// Returns the forces that explain the torques of the joints.
Result<ContactForceRows> contact_forces(const BaseLog& log);

/// Returns those of BaseLog::contacts, from forces at all of them that explain the torques of the
/// joints.
Result<std::vector<StateForces>> state_forces(const BaseLog& log);

}  // namespace heft::check
