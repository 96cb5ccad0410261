// Fault: kinematics that differ from the file: another link length or another direction of an axis.
#include <cmath>

#include "fault.hpp"

namespace heft {

namespace {

/// The frame of one body in its parent, changed by `size`.
class OtherFrame : public Fault {
 public:
  OtherFrame(int body, std::string joint) : body_(body), joint_(std::move(joint)) {}

  std::string id() const override { return "kinematics"; }
  std::string joint() const override { return joint_; }

  Result<PlanPtr> plan(const PlanPtr& as_told, double size) const override {
    if (size == 0) return as_told;
    Robot robot = as_told->robot;
    change(robot.bodies[static_cast<std::size_t>(body_)], size);
    return make_regressor_plan(std::move(robot), as_told->channels, as_told->layout.columns);
  }

  std::optional<FrameChange> frame_change(const RegressorPlan& plan, double size) const override {
    Body changed = plan.robot.bodies[static_cast<std::size_t>(body_)];
    change(changed, size);
    return FrameChange{.body = body_, .X_parent_body = changed.X_parent_body};
  }

 protected:
  virtual void change(Body& body, double size) const = 0;

 private:
  int body_;
  std::string joint_;
};

/// Scales the distance from the preceding joint to this one by exp(size).
class LinkLength : public OtherFrame {
 public:
  using OtherFrame::OtherFrame;
  std::string subject() const override {
    return "the distance to " + joint() + " from the preceding joint";
  }
  std::string unit() const override { return "1"; }
  SizeRange range() const override { return {0.02, -1, 1}; }
  double value(double size) const override { return std::exp(size); }

 protected:
  void change(Body& body, double size) const override {
    body.X_parent_body.translation() *= std::exp(size);
  }
};

/// Rotates an axis by size about a normal axis.
class AxisTilt : public OtherFrame {
 public:
  AxisTilt(int body, std::string joint, const Eigen::Vector3d& about)
      : OtherFrame(body, std::move(joint)), about_(about) {}
  std::string subject() const override { return "the axis of " + joint(); }
  std::string unit() const override { return "rad"; }
  SizeRange range() const override { return {0.02, -1.6, 1.6}; }

 protected:
  void change(Body& body, double size) const override {
    body.X_parent_body.linear() *= Eigen::AngleAxisd(size, about_).toRotationMatrix();
  }

 private:
  Eigen::Vector3d about_;
};

}  // namespace

void other_kinematics(const HypothesisInput& input, Faults& faults) {
  const RegressorPlan& plan = input.setup.plan();
  if (plan.whitened_from) return;
  constexpr double kShort = 1e-3;  // m
  for (int i = 0; i < plan.robot.num_bodies(); ++i) {
    const Body& body = plan.robot.bodies[static_cast<std::size_t>(i)];
    // position and direction of the first joint depend on the base
    if (body.is_rotor || body.coordinate < 0 || body.parent < 0) continue;
    const std::string& joint =
        plan.robot.coordinates[static_cast<std::size_t>(body.coordinate)].name;
    if (body.X_parent_body.translation().norm() > kShort)
      faults.push_back(std::make_unique<LinkLength>(i, joint));
    const Eigen::Vector3d normal = body.axis.unitOrthogonal();
    faults.push_back(std::make_unique<AxisTilt>(i, joint, normal));
    faults.push_back(std::make_unique<AxisTilt>(i, joint, body.axis.cross(normal)));
  }
}

}  // namespace heft
