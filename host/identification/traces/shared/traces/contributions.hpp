// Decomposes a predicted torque. The prediction is linear in the parameters, so parts of the
// parameter vector predict parts of the torque; gravity is the torque of all bodies at rest:
//
//   gravity   all bodies, with velocities and accelerations zero
//   friction  the extra columns except reflected inertia
//   rotors    bodies of rotors and reflected inertia, without their weight
//   inertia   the rest: accelerations, Coriolis and centrifugal forces of the links
//
// With a floating base, gravity includes the acceleration of the base, because the log contains
// only their difference.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "heft/model/regressor_plan.hpp"
#include "heft/rows/backend.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Splits predicted torques into parts.
class Contributions {
 public:
  static constexpr const char* kFriction = "friction";

  Contributions(const RegressorPlan& plan, const Eigen::VectorXd& parameters);

  /// Returns the names in the order of the arrays of split(), without parts that the model lacks.
  const std::vector<std::string>& names() const { return names_; }

  /// Returns the parts of `predicted`, num_samples x num_channels each; their sum is `predicted`
  /// without forces at contacts that are not measured.
  /// Errors: those of the backend.
  Result<std::vector<Eigen::ArrayXXd>> split(const Samples& block, const Eigen::ArrayXXd& predicted,
                                             Backend& backend) const;

 private:
  Result<std::vector<Eigen::ArrayXXd>> split_without_contacts(const Samples& block,
                                                              Backend& backend) const;

  const RegressorPlan& plan_;
  bool has_columns_ = false, has_rotors_ = false;
  Eigen::VectorXd all_;
  Eigen::VectorXd bodies_;        ///< parameters of all bodies; columns are zero
  Eigen::VectorXd columns_;       ///< columns except reflected inertia
  Eigen::VectorXd rotors_;        ///< rotors and reflected inertia
  Eigen::VectorXd rotor_bodies_;  ///< rotors only
  std::vector<std::string> names_;
};

}  // namespace heft
#pragma GCC visibility pop
