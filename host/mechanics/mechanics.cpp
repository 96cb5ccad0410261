#include "heft/mechanics/mechanics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/mechanics_tables.hpp"

namespace heft {

namespace {

using Vector = core::Vector3<double>;

/// One state of core::MechanicsRows: coordinates alone.
struct CoordinateState {
  const double *q, *qd, *qdd;
  double position(int k) const { return q[k]; }
  double velocity(int k) const { return qd[k]; }
  double acceleration(int k) const { return qdd[k]; }
};

/// Puts rows where they belong; those of bodies without parameters nowhere.
struct RowSink {
  const std::vector<int>& first_parameter;
  int width;
  double* rows;

  void channel_row(int channel, int body, const double* row) const {
    if (first_parameter[body] < 0) return;
    std::copy_n(row, core::kNumParameters,
                rows + static_cast<std::ptrdiff_t>(channel) * width + first_parameter[body]);
  }
  void body_row(int body, const double* row) const { channel_row(0, body, row); }
};

Vector vector_of(const Eigen::Vector3d& v) {
  return {v.x(), v.y(), v.z()};
}

core::BodyState<double> base_state(const Eigen::Matrix3d& R, const Eigen::Vector3d& p,
                                   const Eigen::Vector3d& v, const Eigen::Vector3d& w,
                                   const Eigen::Vector3d& a, const Eigen::Vector3d& wd,
                                   const Eigen::Vector3d& gravity) {
  const Eigen::Vector3d g = R.transpose() * gravity;
  return {{R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1), R(2, 2)},
          vector_of(p),
          vector_of(w),
          vector_of(wd),
          vector_of(v),
          vector_of(a - g),
          vector_of(g)};
}

constexpr int kBasePositions = 7, kBaseVelocities = 6;

}  // namespace

Result<Mechanics> Mechanics::make(const Robot& robot) {
  HEFT_TRY(plan, make_regressor_plan(robot, default_channels(robot), {}));
  return Mechanics(plan);
}

Mechanics::Mechanics(PlanPtr plan) : plan_(std::move(plan)) {
  MechanicsTables tables(*plan_);
  body_axes_ = std::move(tables.body_axes);
  first_parameter_ = std::move(tables.first_parameter);
}

std::vector<std::string> Mechanics::state_names() const {
  std::vector<std::string> names;
  const auto add = [&](const char* prefix, std::initializer_list<const char*> of_base) {
    if (has_floating_base())
      for (const char* name : of_base) names.push_back(name);
    for (const Coordinate& coordinate : plan_->robot.coordinates) names.push_back(prefix + coordinate.name);
  };
  add("q_", {"base_x", "base_y", "base_z", "base_qx", "base_qy", "base_qz", "base_qw"});
  add("qd_", {"base_vx", "base_vy", "base_vz", "base_wx", "base_wy", "base_wz"});
  add("qdd_", {"base_vdx", "base_vdy", "base_vdz", "base_wdx", "base_wdy", "base_wdz"});
  return names;
}

Result<Done> Mechanics::put_rows(MechanicsRow kind, const double* state, double* rows) const {
  const int n = plan_->robot.num_coordinates();
  const Eigen::Vector3d gravity = plan_->robot.gravity, zero = Eigen::Vector3d::Zero();
  CoordinateState in{state, state + n, state + 2 * n};
  core::BodyState<double> base =
      base_state(Eigen::Matrix3d::Identity(), zero, zero, zero, zero, zero, gravity);
  if (has_floating_base()) {
    const double *q = state, *qd = q + kBasePositions + n, *qdd = qd + kBaseVelocities + n;
    in = {q + kBasePositions, qd + kBaseVelocities, qdd + kBaseVelocities};
    using Map = Eigen::Map<const Eigen::Vector3d>;
    const Eigen::Quaterniond turned(q[6], q[3], q[4], q[5]);
    if (!(std::abs(turned.norm() - 1) <= 1e-6))
      return Error{"", fmt::format("the base's quaternion has the length {:.7g} instead of 1", turned.norm()),
                   "divide it by its length; the order is x y z w"};
    const Eigen::Vector3d v = Map(qd), w = Map(qd + 3), vd = Map(qdd), wd = Map(qdd + 3);
    base = base_state(turned.normalized().toRotationMatrix(), Map(q), v, w, vd + w.cross(v), wd, gravity);
  }
  const core::MechanicsTree tree{plan_->view(), body_axes_.data()};
  std::vector<double> memory(static_cast<std::size_t>(core::mechanics_workspace_size(tree.tree)));
  const auto workspace = [&memory](std::ptrdiff_t i) -> double& {
    return memory[static_cast<std::size_t>(i)];
  };
  std::fill_n(rows, static_cast<std::ptrdiff_t>(num_rows(kind)) * num_parameters(), 0.0);
  const RowSink sink{first_parameter_, num_parameters(), rows};
  core::MechanicsRows<double, CoordinateState, decltype(workspace), const RowSink>(tree, kind, in, workspace,
                                                                                   sink)
      .put(base);
  return Done{};
}

Result<Eigen::MatrixXd> Mechanics::rows(MechanicsRow kind, const Eigen::VectorXd& state) const {
  if (state.size() != num_state_numbers())
    return Error{"state", fmt::format("has {} numbers instead of {}", state.size(), num_state_numbers()),
                 "give q, qd and qdd"};
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> result(num_rows(kind),
                                                                                num_parameters());
  HEFT_CHECK(put_rows(kind, state.data(), result.data()));
  return Eigen::MatrixXd(result);
}

}  // namespace heft
