// Fault: a joint whose zero differs from that in the robot's file: measured = position + size.
#include <algorithm>
#include <cmath>

#include "changed_motion.hpp"
#include "evidence/doubt_bounds.hpp"
#include "fault.hpp"
#include "readers/option_yaml.hpp"

namespace heft {

namespace {

class JointZero : public Fault {
 public:
  JointZero(int coordinate, std::string joint)
      : coordinate_(coordinate), joint_(std::move(joint)) {}

  std::string id() const override { return "joint-zero"; }
  std::string joint() const override { return joint_; }
  std::string subject() const override { return "the zero of " + joint_; }
  std::string unit() const override { return "rad"; }
  SizeRange range() const override { return {0.02, -0.5, 0.5}; }

  bool is_large(double size) const override {
    return std::abs(size) >= 0.5 * doubt_bounds::kClearZero;
  }

  Samples undone(const Samples& stretch, double size) const override {
    return with_motion(stretch, [&](Samples& motion) { motion.position.col(coordinate_) -= size; });
  }

  std::optional<FrameChange> frame_change(const RegressorPlan& plan, double size) const override {
    const auto& bodies = plan.robot.bodies;
    const auto body = std::find_if(bodies.begin(), bodies.end(), [&](const Body& one) {
      return one.type != JointType::rigid && one.coordinate == coordinate_;
    });
    if (body == bodies.end()) return std::nullopt;
    return FrameChange{.body = static_cast<int>(body - bodies.begin()),
                       .X_parent_body = body->X_parent_body,
                       .shift = -size};
  }

  std::string yaml(double size, const HypothesisInput& input) const override {
    return option_yaml({"log", "position_offset", 0}, input.log.position_offset,
                       input.setup.plan().robot,
                       [&](int k, double old) { return k == coordinate_ ? old + size : old; });
  }

 private:
  int coordinate_;
  std::string joint_;
};

/// Joints that carry a single body: no log distinguishes their zero from the position of that
/// body's mass.
std::vector<bool> last_joints(const Robot& robot) {
  std::vector<bool> is_last(robot.coordinates.size(), true);
  for (const Body& body : robot.bodies) {
    if (body.is_rotor || body.parent < 0) continue;
    const Body& before = robot.bodies[static_cast<std::size_t>(body.parent)];
    if (before.coordinate >= 0) is_last[static_cast<std::size_t>(before.coordinate)] = false;
  }
  return is_last;
}

}  // namespace

void joint_zeros(const HypothesisInput& input, Faults& faults) {
  const RegressorPlan& plan = input.setup.plan();
  const std::vector<bool> is_last = last_joints(plan.robot);
  for (const Channel& channel : plan.channels) {
    if (channel.coordinate < 0) continue;
    const Coordinate& joint = plan.robot.coordinates[static_cast<std::size_t>(channel.coordinate)];
    if (joint.is_angle && !is_last[static_cast<std::size_t>(channel.coordinate)])
      faults.push_back(std::make_unique<JointZero>(channel.coordinate, joint.name));
  }
}

}  // namespace heft
