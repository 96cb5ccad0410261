// Rows of a robot's mechanics at given states: what multiplies the ten parameters of every body in
// a torque, an energy, a power or a momentum. FORMULAS 4; the maths is in
// include/heft/core/mechanics_rows.hpp.
//
// A state is the numbers q, qd, qdd, one after the other; of a fixed base one each a coordinate, in
// the order of the robot. Of a floating base, as Pinocchio has them:
//
//   q    x y z of the root link in the world [m], its unit quaternion x y z w, then coordinates
//   qd   its velocity [m/s] and angular velocity [rad/s] in its own axes, then coordinates
//   qdd  their time derivatives: the acceleration of the origin is the first three plus w x v
//
// Channels are those of default_channels: one a coordinate; before them, of a floating base, three
// forces and three torques. Threads: any number of threads may call, each with objects of its own;
// what is const may be shared.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "heft/base/enum_names.hpp"
#include "heft/base/result.hpp"
#include "heft/core/choices.hpp"
#include "heft/log/arrays.hpp"
#include "heft/model/regressor_plan.hpp"

#pragma GCC visibility push(default)
namespace heft {

using MechanicsRow = core::MechanicsRow;
struct MechanicsTables;

template <>
struct EnumNames<MechanicsRow> {
  static constexpr EnumName<MechanicsRow> kList[] = {
      {MechanicsRow::torque, "torque"},
      {MechanicsRow::kinetic, "kinetic"},
      {MechanicsRow::potential, "potential"},
      {MechanicsRow::power, "power"},
      {MechanicsRow::momentum, "momentum"},
      {MechanicsRow::coriolis_transpose, "coriolis_transpose"},
      {MechanicsRow::gravity, "gravity"},
      {MechanicsRow::world_wrench, "world_wrench"},
      {MechanicsRow::world_gravity, "world_gravity"},
      {MechanicsRow::world_momentum, "world_momentum"}};
};

/// States as rows: as many columns of each as a state has numbers of it. All have the same number
/// of rows.
struct States {
  ArrayView q, qd, qdd;
};

class Mechanics {
 public:
  /// Errors: those of make_regressor_plan.
  static Result<Mechanics> make(const Robot& robot);

  const RegressorPlan& plan() const { return *plan_; }
  bool has_floating_base() const { return plan_->robot.floating_base; }

  /// Numbers of a state, and what each is: "q_joint_1", "base_x", ..
  int num_state_numbers() const { return num_positions() + 2 * num_velocities(); }
  int num_positions() const {
    return plan_->robot.num_coordinates() + (has_floating_base() ? 7 : 0);
  }
  int num_velocities() const {
    return plan_->robot.num_coordinates() + (has_floating_base() ? 6 : 0);
  }
  std::vector<std::string> state_names() const;

  /// Rows of a kind: one a channel, one, or of the world six, forces before torques.
  int num_rows(MechanicsRow kind) const {
    return core::num_mechanics_rows(kind, plan_->num_channels());
  }
  /// Ten a body of the layout.
  int num_parameters() const { return plan_->layout.num_parameters(); }

  /// Writes the rows of `count` states from the `begin`-th on, num_rows x num_parameters numbers
  /// each, row by row, a state after the other; every number is written. A state that is nan has
  /// rows that are nan. Error, at "state I": a quaternion that is not of unit length to 1e-6.
  Result<Done> put_rows(MechanicsRow kind, const States& states, std::int64_t begin,
                        std::int64_t count, double* rows) const;

  /// The same of all states on `num_threads` threads. Also: stopped().
  Result<Done> put_all_rows(MechanicsRow kind, const States& states, double* rows, int num_threads,
                            const Progress& progress = {}) const;

  /// Those of one state as a matrix.
  Result<Eigen::MatrixXd> rows(MechanicsRow kind, const Eigen::VectorXd& state) const;

 private:
  explicit Mechanics(PlanPtr plan);

  PlanPtr plan_;
  std::shared_ptr<const MechanicsTables> tables_;
};

}  // namespace heft
#pragma GCC visibility pop
