// Fault: a joint that also moves with the previous one, although the file lacks the <mimic> or the
// linkage: its angle is q_k + size q_j. By virtual work, torques on it also act on the other drive:
// j measures tau_j + size tau_k.
#include <cmath>

#include "changed_motion.hpp"
#include "fault.hpp"

namespace heft {

namespace {

struct JointOfChain {
  int coordinate, channel;
  std::string name;
};

class CoupledJoint : public Fault {
 public:
  CoupledJoint(JointOfChain joint, JointOfChain leader)
      : joint_(std::move(joint)), leader_(std::move(leader)) {}

  std::string id() const override { return "kinematics"; }
  std::string joint() const override { return joint_.name; }
  std::string subject() const override {
    return joint_.name + " moves with " + leader_.name + ", too";
  }
  std::string unit() const override { return "rad/rad"; }
  SizeRange range() const override { return {0.05, -1.5, 1.5}; }

  Samples undone(const Samples& stretch, double size) const override {
    Samples changed = with_motion(stretch, [&](Samples& motion) {
      for (Eigen::ArrayXXd* array : {&motion.position, &motion.velocity, &motion.acceleration})
        array->col(joint_.coordinate) += size * array->col(leader_.coordinate);
    });
    if (size == 0) return changed;
    changed.torque.col(leader_.channel) -= size * stretch.torque.col(joint_.channel);
    const Eigen::ArrayXd both_used = (stretch.weight.col(joint_.channel) != 0).cast<double>();
    changed.weight.col(leader_.channel) *= both_used;
    changed.torque.col(leader_.channel) *=
        (changed.weight.col(leader_.channel) != 0).cast<double>();
    return changed;
  }

 private:
  JointOfChain joint_, leader_;
};

/// The channel that is a coordinate's torque; -1: none.
int channel_of_coordinate(const RegressorPlan& plan, int coordinate) {
  for (int c = 0; c < plan.num_channels(); ++c)
    if (plan.channels[static_cast<std::size_t>(c)].coordinate == coordinate) return c;
  return -1;
}

}  // namespace

void coupled_joints(const HypothesisInput& input, Faults& faults) {
  const RegressorPlan& plan = input.setup.plan();
  if (plan.whitened_from) return;
  constexpr double kParallel = 0.999;  // linkages are planar
  const auto joint_of = [&](const Body& body) {
    return JointOfChain{body.coordinate, channel_of_coordinate(plan, body.coordinate),
                        plan.robot.coordinates[static_cast<std::size_t>(body.coordinate)].name};
  };
  for (const Body& body : plan.robot.bodies) {
    if (body.is_rotor || body.coordinate < 0 || body.parent < 0) continue;
    const Body& before = plan.robot.bodies[static_cast<std::size_t>(body.parent)];
    const bool both_turn = body.type == JointType::revolute && before.type == JointType::revolute;
    if (before.coordinate < 0 || before.coordinate == body.coordinate || !both_turn ||
        std::abs((body.X_parent_body.linear() * body.axis).dot(before.axis)) < kParallel)
      continue;
    JointOfChain joint = joint_of(body), leader = joint_of(before);
    if (joint.channel >= 0 && leader.channel >= 0)
      faults.push_back(std::make_unique<CoupledJoint>(std::move(joint), std::move(leader)));
  }
}

}  // namespace heft
