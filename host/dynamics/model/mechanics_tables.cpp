#include "model/mechanics_tables.hpp"

namespace heft {

MechanicsTables::MechanicsTables(const RegressorPlan& plan)
    : first_parameter(plan.bodies.size(), -1) {
  for (const KernelFrame& frame : plan.kernel_frames)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) body_axes.push_back(frame.in_body.linear()(i, j));
  for (int i = 0; i < plan.layout.num_bodies(); ++i)
    first_parameter[plan.layout.body_index[i]] = core::kNumParameters * i;
}

core::BodyState<double> standing_base(const Robot& robot) {
  const core::Vector3<double> zero{0, 0, 0};
  const Eigen::Vector3d& g = robot.gravity;
  return {{1, 0, 0, 0, 1, 0, 0, 0, 1}, zero, zero, zero, zero, {-g.x(), -g.y(), -g.z()},
          {g.x(), g.y(), g.z()}};
}

}  // namespace heft
