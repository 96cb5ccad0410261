// Changes of torques by another frame or zero of one joint, against predictions of plans and
// samples that are changed.
#include "executor/torque_changes.hpp"

#include <gtest/gtest.h>

#include "heft/executor/executor.hpp"
#include "tests/conformance/random_samples.hpp"
#include "tests/oracle/random_robot.hpp"

namespace heft {
namespace {

Eigen::ArrayXXd predicted(Backend& backend, const RegressorPlan& plan, const Samples& samples,
                          const Eigen::VectorXd& parameters) {
  const PredictJob job{&plan, &samples, &parameters};
  Eigen::ArrayXXd torques;
  EXPECT_TRUE(backend.predict({&job, 1}, {&torques, 1}));
  return torques;
}

Robot robot_of(bool is_tree, unsigned seed) {
  oracle::RandomRobotOptions options;
  options.min_bodies = options.max_bodies = is_tree ? 9 : 6;
  options.branching = is_tree ? 0.4 : 0;
  options.floating_base = is_tree && seed % 2 == 1;
  if (!is_tree) options.joint_types = {JointType::revolute};
  return oracle::random_robot(options, seed);
}

TEST(TorqueChanges, AreThoseOfChangedRobotsAndPositions) {
  std::srand(2);
  const auto backend = make_backend({.kind = BackendKind::cpu, .threads = 1});
  ASSERT_TRUE(backend);
  int num_shifted = 0;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const Robot robot = robot_of(seed > 3, seed);
    const std::vector<Channel> channels = default_channels(robot);
    const PlanPtr plan = *make_regressor_plan(robot, channels, {});
    const Samples samples = testing::random_samples(*plan, 37, seed).samples;
    const Eigen::VectorXd parameters = Eigen::VectorXd::Random(plan->layout.num_parameters());
    const Eigen::ArrayXXd as_it_is = predicted(**backend, *plan, samples, parameters);
    std::vector<FrameChange> changes;
    std::vector<Eigen::ArrayXXd> truth;
    for (int b = 0; b < robot.num_bodies(); ++b) {
      const Body& body = robot.bodies[static_cast<std::size_t>(b)];
      for (const bool turns : {false, true}) {
        FrameChange change{.body = b, .X_parent_body = body.X_parent_body};
        if (turns) {
          change.X_parent_body.rotate(
              Eigen::AngleAxisd(0.3, Eigen::Vector3d::Random().normalized()));
        } else {
          change.X_parent_body.translation() += 0.2 * Eigen::Vector3d::Random();
        }
        Robot other = robot;
        other.bodies[static_cast<std::size_t>(b)].X_parent_body = change.X_parent_body;
        const PlanPtr changed = *make_regressor_plan(other, channels, {});
        ASSERT_TRUE(can_change(*plan, change));
        changes.push_back(change);
        truth.push_back(predicted(**backend, *changed, samples, parameters) - as_it_is);
      }
      FrameChange shifted{.body = b, .X_parent_body = body.X_parent_body, .shift = 0.4};
      if (!can_change(*plan, shifted)) continue;
      ++num_shifted;
      Samples other = samples;
      other.position.col(body.coordinate) += 0.4;
      changes.push_back(shifted);
      truth.push_back(predicted(**backend, *plan, other, parameters) - as_it_is);
    }
    for (const InstructionSet set : available_instruction_sets()) {
      const auto found = torque_changes(*plan, samples, parameters, changes, set);
      ASSERT_TRUE(found);
      ASSERT_EQ(found->size(), truth.size());
      const double scale = as_it_is.abs().maxCoeff();
      for (std::size_t k = 0; k < truth.size(); ++k)
        EXPECT_LT(((*found)[k] - truth[k]).abs().maxCoeff(), 1e-11 * scale)
            << seed << " " << k << " " << name(set);
    }
  }
  EXPECT_GT(num_shifted, 15);
}

/// A spring feels the position, too.
TEST(TorqueChanges, DoNotShiftWhatAColumnSenses) {
  const Robot robot = robot_of(false, 1);
  const std::vector<Channel> channels = default_channels(robot);
  const Column spring{.name = "spring",
                      .terms = {{.channel = 1, .feature = core::Feature::position, .source = 1}}};
  const PlanPtr plan = *make_regressor_plan(robot, channels, {spring});
  for (int b = 0; b < robot.num_bodies(); ++b) {
    const Body& body = robot.bodies[static_cast<std::size_t>(b)];
    FrameChange change{.body = b, .X_parent_body = body.X_parent_body};
    EXPECT_TRUE(can_change(*plan, change));
    change.shift = 0.1;
    EXPECT_EQ(can_change(*plan, change), body.coordinate != 1) << b;
  }
}

}  // namespace
}  // namespace heft
