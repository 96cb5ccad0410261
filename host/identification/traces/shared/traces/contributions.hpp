// What a predicted torque is made of. The prediction is linear in the parameters, so that parts of
// the parameter vector predict parts of the torque; gravity is what all bodies would take at rest:
//
//   gravity   all bodies, with velocities and accelerations zero
//   friction  the extra columns, reflected inertia apart
//   rotors    bodies of rotors and reflected inertia, less their weight
//   inertia   the rest: accelerations, Coriolis and centrifugal forces of the links
//
// With a floating base gravity holds the acceleration of the base too: its log knows only their
// difference.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "heft/model/regressor_plan.hpp"
#include "heft/rows/backend.hpp"

#pragma GCC visibility push(default)
namespace heft {

class Contributions {
 public:
  static constexpr const char* kFriction = "friction";

  Contributions(const RegressorPlan& plan, const Eigen::VectorXd& parameters);

  /// In the order of the arrays that split() returns. A part that the model does not have is left
  /// out.
  const std::vector<std::string>& names() const { return names_; }

  /// The parts of `predicted`, num_samples x num_channels each; they add up to it. Errors: the
  /// backend's.
  Result<std::vector<Eigen::ArrayXXd>> split(const Samples& block, const Eigen::ArrayXXd& predicted,
                                             Backend& backend) const;

 private:
  const RegressorPlan& plan_;
  bool has_columns_ = false, has_rotors_ = false;
  Eigen::VectorXd bodies_;        ///< parameters of all bodies, columns zero
  Eigen::VectorXd columns_;       ///< of the columns but reflected inertia
  Eigen::VectorXd rotors_;        ///< of rotors and reflected inertia
  Eigen::VectorXd rotor_bodies_;  ///< of rotors
  std::vector<std::string> names_;
};

}  // namespace heft
#pragma GCC visibility pop
