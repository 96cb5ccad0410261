// Cases whose result is worked out on paper.
#include <gtest/gtest.h>

#include <set>

#include "heft/observe/observe.hpp"
#include "tests/observe/builders.hpp"

namespace heft {
namespace {

using Eigen::Vector3d;

std::set<std::string> texts(const Observability& observed,
                            const std::vector<Combination>& combinations) {
  std::set<std::string> set;
  for (const Combination& combination : combinations) set.insert(observed.text(combination));
  return set;
}

Observability observed(const Robot& robot, const ObserveOptions& options = {}) {
  const Result<Observability> result = observe(robot, options);
  EXPECT_TRUE(result.ok()) << result.error().message();
  return result.ok() ? *result : Observability{};
}

// tau_2 = (Izz_2) (qdd_1 + qdd_2) + ..., H_11 has Izz_1 + 0.25 m_2, and gravity pulls at the first
// moments.
TEST(Parallel2R, GravityInThePlane) {
  const Observability arm = observed(parallel_2r_arm({0, -9.81, 0}));
  EXPECT_EQ(texts(arm, arm.identifiable),
            (std::set<std::string>{"mcx_b1 + 0.5 m_b2", "mcy_b1", "Izz_b1 + 0.25 m_b2", "mcx_b2",
                                   "mcy_b2", "Izz_b2"}));
  EXPECT_EQ(arm.num_base, 6);
}

TEST(Parallel2R, GravityAlongTheAxes) {
  const Observability arm = observed(parallel_2r_arm({0, 0, -9.81}));
  EXPECT_EQ(texts(arm, arm.identifiable),
            (std::set<std::string>{"Izz_b1 + 0.25 m_b2", "mcx_b2", "mcy_b2", "Izz_b2"}));
  EXPECT_EQ(arm.base_parameters().size(), 4u);
  EXPECT_EQ(arm.null_basis.size(), 16u);
  EXPECT_EQ(texts(arm, arm.null_basis).count("-0.25 Izz_b1 + m_b2"), 1u);
}

TEST(Parallel2R, VisibilityOfEveryParameter) {
  const Observability arm = observed(parallel_2r_arm({0, -9.81, 0}));
  const std::set<std::string> alone{"mcy_b1", "mcx_b2", "mcy_b2", "Izz_b2"};
  const std::set<std::string> together{"mcx_b1", "Izz_b1", "m_b2"};
  for (const ObservedParameter& parameter : arm.parameters) {
    const Visibility expected = alone.count(parameter.label)      ? Visibility::alone
                                : together.count(parameter.label) ? Visibility::in_combination
                                                                  : Visibility::unidentifiable;
    EXPECT_EQ(parameter.visibility, expected) << parameter.label;
  }
}

TEST(Parallel2R, WhatOneTorqueReveals) {
  const Observability arm = observed(parallel_2r_arm({0, -9.81, 0}));
  ASSERT_EQ(arm.channels.size(), 2u);
  // tau_1 has Izz_2 (qdd_1 + qdd_2) and (Izz_1 + 0.25 m_2) qdd_1: all six
  EXPECT_EQ(arm.channels[0].identifiable.size(), 6u);
  EXPECT_EQ(texts(arm, arm.channels[1].identifiable),
            (std::set<std::string>{"mcx_b2", "mcy_b2", "Izz_b2"}));
  EXPECT_EQ(arm.channels[1].channel, "j2");
}

TEST(Parallel2R, GravityIsAnOption) {
  ObserveOptions options;
  options.gravity = false;
  EXPECT_EQ(observed(parallel_2r_arm({0, -9.81, 0}), options).num_base, 4);
}

/// FORMULAS 1: what a joint keeps on a base that moves freely.
int kept_by(const std::vector<std::pair<JointType, Vector3d>>& joints) {
  Robot robot;
  int parent = -1;
  for (const auto& [type, axis] : joints) {
    parent = add_joint(robot, parent, type, axis, {0, 0, 0});
    robot.bodies.back().has_parameters = false;
  }
  robot.bodies.back().has_parameters = true;
  if (joints.back().first == JointType::helical) robot.bodies.back().pitch = 0.1;
  ObserveOptions options;
  options.base = BaseMotion::uncounted;
  return observed(robot, options).num_base;
}

TEST(JointTypes, ColumnsThatEachKeeps) {
  const Vector3d x = Vector3d::UnitX(), y = Vector3d::UnitY(), z = Vector3d::UnitZ();
  const JointType turn = JointType::revolute, slide = JointType::prismatic;
  EXPECT_EQ(kept_by({{turn, z}}), 7);
  EXPECT_EQ(kept_by({{slide, z}}), 4);
  EXPECT_EQ(kept_by({{JointType::helical, z}}), 9);
  EXPECT_EQ(kept_by({{turn, z}, {turn, y}, {turn, x}}), 9);     // spherical
  EXPECT_EQ(kept_by({{slide, x}, {slide, y}, {turn, z}}), 9);   // planar
  EXPECT_EQ(kept_by({{slide, x}, {slide, y}, {slide, z}}), 4);  // translation
  EXPECT_EQ(kept_by({{slide, x}, {slide, y}, {slide, z}, {turn, z}, {turn, y}, {turn, x}}), 10);
}

TEST(FloatingBase, RootAloneShowsAllTen) {
  Robot robot;
  robot.floating_base = true;
  robot.bodies.push_back({.name = "root", .type = JointType::rigid});
  const Observability root = observed(robot);
  EXPECT_EQ(root.num_base, 10);
  for (const ObservedParameter& parameter : root.parameters)
    EXPECT_EQ(parameter.visibility, Visibility::alone) << parameter.label;
  EXPECT_EQ(root.channels.size(), 6u);

  // held still in all attitudes a wrench sensor weighs it and finds its center
  ObserveOptions options;
  options.static_only = true;
  const Observability at_rest = observed(robot, options);
  EXPECT_EQ(texts(at_rest, at_rest.identifiable),
            (std::set<std::string>{"m_root", "mcx_root", "mcy_root", "mcz_root"}));
}

TEST(FloatingBase, RevoluteLegAddsSeven) {
  Robot robot;
  robot.floating_base = true;
  robot.bodies.push_back({.name = "root", .type = JointType::rigid});
  add_joint(robot, 0, JointType::revolute, Vector3d::UnitY(), {0.1, 0.2, 0.3});
  EXPECT_EQ(observed(robot).num_base, 17);
  ObserveOptions options;
  options.base = BaseMotion::uncounted;
  const Observability limb = observed(robot, options);
  EXPECT_EQ(limb.num_base, 7);
  for (int j = 0; j < 10; ++j) EXPECT_EQ(limb.parameters[j].visibility, Visibility::unidentifiable);
}

// A rotor that turns exactly as its joint does is part of the link, as far as its axial inertia
// goes.
TEST(Rotors, RatioOneLosesTheAxialInertia) {
  ObserveOptions options;
  options.base = BaseMotion::uncounted;
  const Eigen::Isometry3d parallel(Eigen::Translation3d(0.1, 0.2, 0));
  const Eigen::Isometry3d antiparallel = parallel * Eigen::AngleAxisd(M_PI, Vector3d::UnitX());
  const auto count = [&](double ratio, const Eigen::Isometry3d& pose) {
    Robot robot;
    const int link = add_joint(robot, -1, JointType::revolute, Vector3d::UnitZ(), {0, 0, 0});
    add_rotor(robot, -1, link, ratio, pose);
    return observed(robot, options).num_base;
  };
  EXPECT_EQ(count(5, parallel), 8);
  EXPECT_EQ(count(1, parallel), 7);
  EXPECT_EQ(count(-1, antiparallel), 7);
  EXPECT_EQ(count(-1, parallel), 8);
  EXPECT_EQ(count(1, antiparallel), 8);
}

// Axes at odds with each other and with gravity: three of the first body, then all that a revolute
// joint keeps.
TEST(LongChain, ThousandBodies) {
  Robot robot;
  robot.gravity = {0, 0, -9.81};
  const Eigen::Matrix3d R =
      (Eigen::AngleAxisd(0.7, Vector3d::UnitX()) * Eigen::AngleAxisd(0.4, Vector3d::UnitZ()))
          .toRotationMatrix();
  for (int i = 0; i < 1000; ++i)
    add_joint(robot, i - 1, JointType::revolute, Vector3d::UnitZ(), {0.3, 0.1, 0.2}, R);
  ObserveOptions options;
  options.dimensions_only = true;
  const Observability chain = observed(robot, options);
  EXPECT_EQ(chain.num_base, 3 + 7 * 999);
  EXPECT_EQ(chain.joints.back().dim_T, 3);

  // combinations of so many are work without end
  const auto refused = observe(robot);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().remedy.find("--dimensions"), std::string::npos);
}

TEST(Units, LengthsDecideNothing) {
  const auto scaled = [](double length) {
    Robot robot;
    robot.gravity = {0, 0, -9.81};
    const int a = add_joint(robot, -1, JointType::revolute, Vector3d::UnitX(),
                            Vector3d(0.1, 0, 0.3) * length);
    const int b =
        add_joint(robot, a, JointType::helical, Vector3d::UnitY(), Vector3d(0.2, 0.1, 0) * length);
    robot.bodies[b].pitch = 0.05 * length;
    const int c = add_joint(robot, b, JointType::prismatic, Vector3d::UnitX(),
                            Vector3d(0, 0.3, 0.1) * length);
    add_rotor(robot, b, c, 100 / length,
              Eigen::Isometry3d(Eigen::Translation3d(0, 0, 0.1 * length)));
    add_joint(robot, c, JointType::revolute, Vector3d::UnitZ(), Vector3d(0.1, 0.1, 0.1) * length);
    return observed(robot);
  };
  const Observability meter = scaled(1);
  for (double length : {1e-4, 1e4}) {
    const Observability other = scaled(length);
    EXPECT_EQ(other.num_base, meter.num_base);
    ASSERT_EQ(other.num_parameters(), meter.num_parameters());
    for (int j = 0; j < meter.num_parameters(); ++j)
      EXPECT_EQ(other.parameters[j].visibility, meter.parameters[j].visibility)
          << meter.parameters[j].label;
  }
}

// A half turn written with four digits after the point is a half turn, and a vertical axis
// vertical, unless taken literally.
TEST(Alignment, RoundedAngles) {
  const auto arm = [](double half_turn) {
    Robot robot;
    robot.gravity = {0, 0, -9.81};
    const Eigen::Matrix3d R = Eigen::AngleAxisd(half_turn, Vector3d::UnitX()).toRotationMatrix();
    const int a = add_joint(robot, -1, JointType::revolute, Vector3d::UnitZ(), {0, 0, 0}, R);
    add_joint(robot, a, JointType::revolute, Vector3d::UnitZ(), {0.5, 0, 0});
    return robot;
  };
  const Observability exact = observed(arm(M_PI)), rounded = observed(arm(3.1416));
  EXPECT_EQ(exact.num_base, 4);
  EXPECT_EQ(texts(rounded, rounded.identifiable), texts(exact, exact.identifiable));
  ObserveOptions literal;
  literal.alignment = 0;
  EXPECT_EQ(observed(arm(3.1416), literal).num_base, 6);
}

// Two fingers that close together: the grip's force shows the sum of their masses, and gravity
// along the slides their difference.
TEST(MimicJoints, TwoFingersOnAPalm) {
  Robot robot;
  robot.gravity = {0, 0, -9.81};
  const int left = add_joint(robot, -1, JointType::prismatic, Vector3d::UnitX(), {0, 0, 0});
  robot.bodies.push_back(robot.bodies[left]);
  robot.bodies.back().name = "right";
  robot.bodies.back().ratio = -1;
  const Observability level = observed(robot);
  EXPECT_EQ(texts(level, level.identifiable), (std::set<std::string>{"m_b1 + m_right"}));
  ASSERT_EQ(level.joints.size(), 1u);
  EXPECT_EQ(level.joints[0].bodies, (std::vector<int>{0, 1}));

  robot.gravity = {-9.81, 0, 0};
  const Observability upright = observed(robot);
  EXPECT_EQ(texts(upright, upright.identifiable), (std::set<std::string>{"m_b1", "m_right"}));
}

// A fingertip that follows its own knuckle has no constant screw.
TEST(MimicJoints, OutwardOfItself) {
  Robot robot = parallel_2r_arm({0, -9.81, 0});
  robot.bodies[1].coordinate = 0;
  robot.coordinates.pop_back();
  const Observability finger = observed(robot);
  // H_11 = Izz_1 + 4 Izz_2 + 0.25 m_2 + (2 x 0.5) (mcx_2 cos q - mcy_2 sin q) ... and gravity at q
  // and 2q
  EXPECT_EQ(texts(finger, finger.identifiable),
            (std::set<std::string>{"mcx_b1 + 0.5 m_b2", "mcy_b1", "Izz_b1 + 0.25 m_b2 + 4 Izz_b2",
                                   "mcx_b2", "mcy_b2"}));
  ASSERT_EQ(finger.joints.size(), 1u);
  EXPECT_EQ(finger.joints[0].bodies, (std::vector<int>{0, 1}));
  EXPECT_EQ(finger.joints[0].num_base, finger.num_base);
}

// 48 bodies, ten of which follow the knuckle below them or one on another finger: counted by the
// recursion, with dimensions.
TEST(MimicJoints, HandsOfTwoArms) {
  Robot robot;
  robot.name = "hands";
  robot.gravity = {0, 0, -9.81};
  const auto turned = [](double by, const Vector3d& about) {
    return Eigen::AngleAxisd(by, about.normalized()).toRotationMatrix();
  };
  const auto follow = [&](int parent, int leader, double ratio, const Vector3d& place) {
    Body body = robot.bodies[static_cast<std::size_t>(leader)];
    body.name = body.joint = "follower" + std::to_string(robot.num_bodies());
    body.parent = parent;
    body.ratio = ratio;
    body.X_parent_body.translation() = place;
    robot.bodies.push_back(body);
  };
  for (const double side : {-1.0, 1.0}) {
    int last = -1;
    for (int k = 0; k < 9; ++k)
      last = add_joint(robot, last, JointType::revolute, Vector3d::Unit(k % 3),
                       {0.02, side * 0.1, 0.1}, turned(0.2 * k, {1, 2, side}));
    int thumb = -1;
    for (int finger = 0; finger < 5; ++finger) {
      const Vector3d place(0.03, 0.02 * finger, 0.01 * finger);
      const int knuckle = add_joint(robot, last, JointType::revolute, Vector3d::UnitY(), place,
                                    turned(0.1 * finger, {1, 0, 1}));
      if (finger == 0) thumb = knuckle;
      const int middle =
          add_joint(robot, knuckle, JointType::revolute, Vector3d::UnitY(), {0, 0, 0.04});
      follow(finger == 4 ? knuckle : middle, finger == 3 ? thumb : knuckle, 1.1, {0, 0.01, 0.03});
    }
  }
  ASSERT_EQ(robot.num_bodies(), 48);
  const Result<Observability> hands = observe(robot, {.dimensions_only = true});
  ASSERT_TRUE(hands.ok());
  ASSERT_FALSE(hands->joints.empty());
  int sum = 0;
  for (const JointDimensions& joint : hands->joints) sum += joint.num_base;
  EXPECT_EQ(sum, hands->num_base);

  // any sensor, such as one that shows nothing new, selects the count by random rows
  ObserveOptions by_rows{.dimensions_only = true};
  by_rows.sensors.push_back({.name = "idle", .coordinate = -1, .body = 0});
  Robot arm = robot;
  arm.bodies.resize(24);
  arm.coordinates.resize(19);
  EXPECT_EQ(observe(arm, {.dimensions_only = true})->num_base, observe(arm, by_rows)->num_base);
}

// Three axes, of which the second leans by e about x and the third by e about y: the last direction
// is seen by e^3.
TEST(NearlyParallel, DirectionsBelowTheToleranceAreCounted) {
  const auto lean = [](double by, const Vector3d& about) {
    return Eigen::AngleAxisd(by, about).toRotationMatrix();
  };
  for (const double e : {3e-5, 3e-4, 1.2e-3, 2e-3, 0.05, 0.3}) {
    Robot robot;
    robot.name = "leaning";
    int last = add_joint(robot, -1, JointType::revolute, Vector3d::UnitZ(), {0, 0, 0});
    last = add_joint(robot, last, JointType::revolute, Vector3d::UnitZ(), {0.3, 0, 0},
                     lean(e, Vector3d::UnitX()));
    add_joint(robot, last, JointType::revolute, Vector3d::UnitZ(), {0.3, 0, 0},
              lean(e, Vector3d::UnitY()));
    const Result<Observability> leaning =
        observe(robot, {.gravity = false, .dimensions_only = true});
    ASSERT_TRUE(leaning.ok());
    EXPECT_EQ(leaning->num_base_exact, 15) << e;
    EXPECT_LE(leaning->num_base, 15) << e;
    const bool is_told = format_observability(*leaning).find("15 exactly") != std::string::npos;
    EXPECT_EQ(is_told, leaning->num_base < 15) << e;
  }
}

TEST(NearlyParallel, ParallelAxesHaveOneCount) {
  Robot robot = parallel_2r_arm({0, 0, 0});
  add_joint(robot, 1, JointType::revolute, Vector3d::UnitZ(), {0.3, 0, 0});
  const Observability arm = observed(robot, {.gravity = false});
  EXPECT_EQ(arm.num_base_exact, arm.num_base);
}

// Whether the first two of three axes are parallel is a matter of 5e-5 rad, and both counts are
// told.
TEST(NearlyParallel, ReportsBothCounts) {
  const auto arm = [](double angle) {
    const auto turned = [](double by, const Vector3d& about) {
      return Eigen::AngleAxisd(by, about.normalized()).toRotationMatrix();
    };
    Robot robot;
    robot.name = "nearly_parallel";
    robot.gravity = {0, 0, -9.81};
    int last = add_joint(robot, -1, JointType::revolute, Vector3d::UnitZ(), {0, 0, 0.1},
                         turned(0.7, {1, 2, 3}));
    last = add_joint(robot, last, JointType::revolute, Vector3d::UnitZ(), {0.4, 0.1, 0},
                     turned(angle, {1, 1, 0}));
    add_joint(robot, last, JointType::revolute, Vector3d::UnitZ(), {0.1, 0, 0.3},
              turned(1.1, {2, 1, 1}));
    return robot;
  };
  const auto parallel = observe(arm(0)), meant = observe(arm(0.2)), between = observe(arm(5e-5));
  ASSERT_TRUE(parallel.ok() && meant.ok());
  EXPECT_TRUE(parallel->nearly_parallel.empty());
  EXPECT_TRUE(meant->nearly_parallel.empty());
  ASSERT_LT(parallel->num_base, meant->num_base);
  ASSERT_TRUE(between.ok()) << between.error().message();
  ASSERT_EQ(between->nearly_parallel.size(), 1u);
  const NearlyParallel& axes = between->nearly_parallel[0];
  EXPECT_EQ(axes.joint, "j2");
  EXPECT_EQ(axes.other, "j1");
  EXPECT_NEAR(axes.angle, 5e-5, 1e-12);
  EXPECT_EQ(axes.num_base_if_parallel, parallel->num_base);
  EXPECT_EQ(axes.num_base_if_not_parallel, meant->num_base);
  EXPECT_NE(format_observability(*between).find("the axis of j2 is 5e-05 rad from that of j1"),
            std::string::npos);
}

TEST(NearlyParallel, AnAxisThatIsAlmostVertical) {
  const auto arm = [](double angle) {
    Robot robot = parallel_2r_arm({0, 0, -9.81});
    robot.bodies[0].X_parent_body.linear() =
        Eigen::AngleAxisd(angle, Eigen::Vector3d::UnitX()).toRotationMatrix();
    return robot;
  };
  const auto upright = observe(arm(0), {.static_only = true}),
             leaning = observe(arm(0.2), {.static_only = true}),
             almost = observe(arm(1e-4), {.static_only = true});
  ASSERT_TRUE(upright.ok() && leaning.ok() && almost.ok());
  ASSERT_LT(upright->num_base, leaning->num_base);
  ASSERT_EQ(almost->nearly_parallel.size(), 1u);
  EXPECT_EQ(almost->nearly_parallel[0].other, "gravity");
  EXPECT_EQ(almost->nearly_parallel[0].num_base_if_parallel, upright->num_base);
  EXPECT_EQ(almost->nearly_parallel[0].num_base_if_not_parallel, leaning->num_base);
}

}  // namespace
}  // namespace heft
