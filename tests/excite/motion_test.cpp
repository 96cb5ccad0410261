// Motions in other functions of time, and fixed bases.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random_stream.hpp"
#include "branched.hpp"
#include "heft/excite/design.hpp"
#include "host/applications/excite/nearest_motion.hpp"

namespace heft::excite {
namespace {

/// A spline of twelve intervals is one of twenty-four too, but for the ends, which rest longer:
/// nearly the same path.
TEST(NearestMotion, FollowsThePath) {
  RandomStream random(3);
  const MotionShape coarse{.kind = ExcitationMotion::spline, .duration = 6, .intervals = 12};
  MotionShape fine = coarse;
  fine.intervals = 60;
  fine.duration = 9;
  const CoefficientMotion motion{
      coarse,
      Eigen::MatrixXd::NullaryExpr(coarse.num_coefficients(), 3, [&] { return random.normal(); })};
  EXPECT_EQ(nearest_coefficients(motion, coarse), motion.coefficients);
  const CoefficientMotion other{fine, nearest_coefficients(motion, fine)};
  for (double part = 0; part <= 1; part += 0.01)
    EXPECT_LT((other.at(9 * part, 0) - motion.at(6 * part, 0)).norm(),
              0.02 * motion.coefficients.norm())
        << part;
}

std::string on_wheels(const std::string& attributes) {
  return "<robot name='walker'><link name='world'/>" + link("trunk") + link("leg") +
         "<joint name='root' " + attributes +
         "><parent link='world'/><child link='trunk'/></joint>" +
         joint("hip", "revolute", "trunk", "leg", "xyz='0 0 -0.1'", "0 1 0") + "</robot>";
}

TEST(HeldRobot, FixesFloatingJointsOnRequest) {
  for (const char* attributes : {"type='floating'", "type = \"floating\""}) {
    const auto robot = read_robot_text("walker.urdf", on_wheels(attributes), "");
    ASSERT_TRUE(robot) << robot.error().message();
    ASSERT_EQ(robot->num_coordinates(), 7);
    const auto refused = held_robot(*robot, BaseHold::none);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().what.find("'root'"), std::string::npos) << refused.error().message();
    EXPECT_NE(refused.error().remedy.find("--base hung"), std::string::npos);
    const auto held = held_robot(*robot, BaseHold::hung);
    ASSERT_TRUE(held) << held.error().message();
    ASSERT_EQ(held->num_coordinates(), 1);
    EXPECT_EQ(held->coordinates.front().name, "hip");
    // the leg hangs where it did
    EXPECT_NEAR(held->bodies.front().X_parent_body.translation().z(), -0.1, 1e-12);
  }
  const auto floating =
      read_robot_text("walker.urdf", on_wheels("type='fixed'"), "", {.floating_base = true});
  ASSERT_TRUE(floating);
  EXPECT_FALSE(held_robot(*floating, BaseHold::none));
  const auto held = held_robot(*floating, BaseHold::table);
  ASSERT_TRUE(held);
  EXPECT_FALSE(held->floating_base);
  EXPECT_EQ(held->num_coordinates(), 1);
  const auto separate = read_robot_text("walker.urdf", on_wheels("type='fixed'"), "",
                                        {.floating_base = true, .separate_links = {"trunk"}});
  ASSERT_TRUE(separate) << separate.error().message();
  const auto held_separate = held_robot(*separate, BaseHold::hung);
  ASSERT_TRUE(held_separate) << held_separate.error().message();
  const auto is_trunk = [](const Body& body) { return body.name == "trunk"; };
  EXPECT_TRUE(std::ranges::any_of(held_separate->bodies, is_trunk));
  EXPECT_FALSE(std::ranges::any_of(held->bodies, is_trunk));
  const auto locked = read_robot_text("walker.urdf", on_wheels("type='floating'"), "",
                                      {.locked_joints = {{"hip", 0.5}}});
  ASSERT_TRUE(locked) << locked.error().message();
  const auto refused = held_robot(*locked, BaseHold::hung);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().where, "--joints.locked");
  const Robot fixed = branched();
  EXPECT_EQ(held_robot(fixed, BaseHold::none)->num_coordinates(), fixed.num_coordinates());
}

/// What is judged by its coefficients is proved, and the same as its samples say.
TEST(JudgeMotion, VerifiesMotionsWithCoefficients) {
  const Robot robot = branched();
  RandomStream random(5);
  const MotionShape shape{.kind = ExcitationMotion::spline, .duration = 6, .intervals = 12};
  const CoefficientMotion motion{
      shape, Eigen::MatrixXd::NullaryExpr(shape.num_coefficients(), robot.num_coordinates(),
                                          [&] { return 0.1 * random.normal(); })};
  ExciteOptions options;
  options.clearance.ignore = true;
  options.rate_hz = 500;
  options.limits.torque_deviations = 0;
  const auto proved = judge_motion(robot, motion, options);
  ASSERT_TRUE(proved) << proved.error().message();
  EXPECT_EQ(proved->status, DesignStatus::feasible) << proved->infeasible_because;
  const auto sampled = judge_motion(robot, proved->samples, options);
  ASSERT_TRUE(sampled);
  EXPECT_NEAR(proved->log_det, sampled->log_det, 1e-9 * std::abs(sampled->log_det));
  for (std::size_t i = 0; i < proved->limits.size(); ++i) {
    const LimitUse &bound = proved->limits[i], &seen = sampled->limits[i];
    EXPECT_TRUE(bound.proved) << bound.name;
    EXPECT_FALSE(seen.proved);
    EXPECT_GE(bound.worst_ratio, seen.worst_ratio * (1 - 1e-12)) << bound.name;
    EXPECT_LE(bound.worst_ratio, seen.worst_ratio + 0.02) << bound.name;
  }
}

}  // namespace
}  // namespace heft::excite
