// Mechanics rows of a robot at given states: the factors of the ten parameters of every body in a
// torque, an energy, a power or a momentum. FORMULAS 4; the math is in
// include/heft/core/mechanics_rows.hpp.
//
// A state is q, qd and qdd, one after the other. With a fixed base each has one number per
// coordinate, in the order of the robot. With a floating base, as in Pinocchio:
//
//   q    x y z of the root link in the world [m], its unit quaternion x y z w, then coordinates
//   qd   its velocity [m/s] and angular velocity [rad/s] in its own axes, then coordinates
//   qdd  their time derivatives: the acceleration of the origin is the first three plus w x v
//
// Channels are those of default_channels: one per coordinate; with a floating base preceded by
// three forces and three torques. Threads: safe to call from several threads on separate objects;
// const objects may be shared.
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

/// States as rows of three arrays with the same number of rows; columns as described above.
struct States {
  ArrayView q, qd, qdd;
};

/// Evaluates mechanics rows of one robot.
class Mechanics {
 public:
  /// Makes the tables for a robot. Errors: those of make_regressor_plan.
  static Result<Mechanics> make(const Robot& robot);

  const RegressorPlan& plan() const { return *plan_; }
  bool has_floating_base() const { return plan_->robot.floating_base; }

  /// Returns the count of numbers in a state.
  int num_state_numbers() const { return num_positions() + 2 * num_velocities(); }
  int num_positions() const {
    return plan_->robot.num_coordinates() + (has_floating_base() ? 7 : 0);
  }
  int num_velocities() const {
    return plan_->robot.num_coordinates() + (has_floating_base() ? 6 : 0);
  }
  /// Returns the names of these numbers: "q_joint_1", "base_x", ..
  std::vector<std::string> state_names() const;

  /// Returns the number of rows of a kind: one per channel; one; or six in world axes, forces
  /// before torques.
  int num_rows(MechanicsRow kind) const {
    return core::num_mechanics_rows(kind, plan_->num_channels());
  }
  /// Returns the number of columns: ten per body of the layout.
  int num_parameters() const { return plan_->layout.num_parameters(); }

  /// Writes the rows of `count` states, starting with number `begin`: num_rows x num_parameters
  /// numbers per state, row by row, state after state; every number is written. A state with NaN
  /// gives rows of NaN. Error, at "state I": a quaternion whose norm differs from 1 by more than
  /// 1e-6.
  Result<Done> put_rows(MechanicsRow kind, const States& states, std::int64_t begin,
                        std::int64_t count, double* rows) const;

  /// Writes the rows of all states with `num_threads` threads. Errors: those of put_rows;
  /// stopped().
  Result<Done> put_all_rows(MechanicsRow kind, const States& states, double* rows, int num_threads,
                            const Progress& progress = {}) const;

  /// Returns the rows of one state as a matrix.
  Result<Eigen::MatrixXd> rows(MechanicsRow kind, const Eigen::VectorXd& state) const;

 private:
  explicit Mechanics(PlanPtr plan);

  PlanPtr plan_;
  std::shared_ptr<const MechanicsTables> tables_;
};

}  // namespace heft
#pragma GCC visibility pop
