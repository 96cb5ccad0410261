// Fault: a base that is not oriented as in the file: gravity rotated by size about an axis of the
// base.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fault.hpp"

namespace heft {

namespace {

class GravityDirection : public Fault {
 public:
  GravityDirection(const Eigen::Vector3d& axis, std::string name)
      : axis_(axis), name_(std::move(name)) {}

  std::string id() const override { return "gravity-direction"; }
  std::string joint() const override { return {}; }
  std::string subject() const override {
    return "the direction of gravity about the base's " + name_;
  }
  std::string unit() const override { return "rad"; }
  SizeRange range() const override { return {0.02, -3.2, 3.2}; }

  Result<PlanPtr> plan(const PlanPtr& as_told, double size) const override {
    if (size == 0) return as_told;
    Robot robot = as_told->robot;
    robot.gravity = Eigen::AngleAxisd(size, axis_) * robot.gravity;
    return make_regressor_plan(std::move(robot), as_told->channels, as_told->layout.columns);
  }

  std::string yaml(double size, const HypothesisInput& input) const override {
    const Eigen::Vector3d gravity =
        Eigen::AngleAxisd(size, axis_) * input.setup.plan().robot.gravity;
    return fmt::format("robot: {{gravity: [{:.4f}, {:.4f}, {:.4f}]}}\n", gravity[0], gravity[1],
                       gravity[2]);
  }

 private:
  Eigen::Vector3d axis_;
  std::string name_;
};

/// Rotating gravity about the axis of a first joint is equivalent to shifting the zero of that
/// joint.
bool is_a_first_axis(const Robot& robot, const Eigen::Vector3d& axis) {
  return std::any_of(robot.bodies.begin(), robot.bodies.end(), [&](const Body& body) {
    constexpr double kParallel = 0.999;
    return body.parent < 0 && body.coordinate >= 0 &&
           std::abs((body.X_parent_body.linear() * body.axis).dot(axis)) > kParallel;
  });
}

}  // namespace

void gravity_directions(const HypothesisInput& input, Faults& faults) {
  const RegressorPlan& plan = input.setup.plan();
  if (plan.robot.floating_base || plan.whitened_from || !(plan.robot.gravity.norm() > 0)) return;
  const Eigen::Vector3d down = plan.robot.gravity.normalized();
  constexpr const char* kNames[] = {"x axis", "y axis", "z axis"};
  for (int k = 0; k < 3; ++k)
    // a rotation about the vertical has no effect
    if (std::abs(down[k]) < 0.9 && !is_a_first_axis(plan.robot, Eigen::Vector3d::Unit(k)))
      faults.push_back(std::make_unique<GravityDirection>(Eigen::Vector3d::Unit(k), kNames[k]));
}

}  // namespace heft
