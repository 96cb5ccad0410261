// Distances compared with those of points and boxes computed by hand, gradients with differences,
// the verified bound with dense samples.
#include <gtest/gtest.h>

#include <cmath>

#include "base/random_stream.hpp"
#include "clearance/min_clearance.hpp"
#include "clearance/sphere_distances.hpp"
#include "heft/robot/robot_document.hpp"
#include "host/applications/excite/clearance_term.hpp"

namespace heft {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;

std::string bar_link(const std::string& name) {
  return "<link name='" + name +
         "'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>"
         "<collision><origin xyz='0.25 0 0'/><geometry><box size='0.4 0.06 "
         "0.05'/></geometry></collision></link>";
}

std::string bar_joint(const std::string& name, const std::string& type, const std::string& parent,
                      const std::string& child, const std::string& axis) {
  return "<joint name='" + name + "' type='" + type + "'><parent link='" + parent +
         "'/><child link='" + child + "'/><origin xyz='0.5 0 0'/><axis xyz='" + axis +
         "'/><limit lower='-2.8' upper='2.8' effort='50' velocity='2'/></joint>";
}

/// A chain of bars that can fold back on itself.
Robot bars() {
  auto robot =
      read_robot_text("bars.urdf",
                      "<robot name='bars'>" + bar_link("base") + bar_link("a") + bar_link("b") +
                          bar_link("c") + bar_joint("ja", "revolute", "base", "a", "0 0 1") +
                          bar_joint("jb", "revolute", "a", "b", "0 0.6 0.8") +
                          bar_joint("jc", "revolute", "b", "c", "0 1 0") + "</robot>",
                      "");
  EXPECT_TRUE(robot) << (robot ? "" : robot.error().message());
  return *robot;
}

Obstacle post() {
  Obstacle obstacle{.name = "post"};
  obstacle.shape.kind = Shape::Kind::cylinder;
  obstacle.shape.radius = 0.1, obstacle.shape.length = 1;
  obstacle.shape.X_link_shape.translation() = Vector3d(1.2, 0.9, 0.2);
  return obstacle;
}

CollisionModel model() {
  auto made = make_collision_model(bars(), {.floor = -0.6, .obstacles = {post()}},
                                   VectorXd::Constant(3, -2.8), VectorXd::Constant(3, 2.8));
  EXPECT_TRUE(made) << (made ? "" : made.error().message());
  return *made;
}

class ClearanceTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_make_hulls()) GTEST_SKIP() << "built without FCL and Qhull";
  }
};

TEST_F(ClearanceTest, HullsAreAsFarApartAsBoxesAre) {
  Shape box;
  Eigen::Matrix3Xd corners(3, 8);
  for (int i = 0; i < 8; ++i)
    for (int k = 0; k < 3; ++k) corners(k, i) = (i >> k & 1) != 0 ? 0.5 : -0.5;
  const auto hull = make_hull(corners), ball = make_hull(Vector3d::Zero(), 0.2);
  ASSERT_TRUE(hull && ball);
  EXPECT_EQ(hull->points.cols(), 8);
  Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
  X.translation() = Vector3d(1.7, 0.3, -0.4);  // faces opposite
  EXPECT_NEAR(hull_distance(*hull, Eigen::Isometry3d::Identity(), *hull, X).distance, 0.7, 1e-6);
  X.translation() = Vector3d(1.7, 1.7, 1.7);  // corners opposite
  EXPECT_NEAR(hull_distance(*hull, Eigen::Isometry3d::Identity(), *hull, X).distance,
              0.7 * std::sqrt(3), 1e-6);
  EXPECT_NEAR(hull_distance(*hull, Eigen::Isometry3d::Identity(), *ball, X).distance,
              1.2 * std::sqrt(3) - 0.2, 1e-6);
  X.translation() = Vector3d(0.5, 0.5, 0);
  EXPECT_EQ(hull_distance(*hull, Eigen::Isometry3d::Identity(), *hull, X).distance, 0);
}

TEST_F(ClearanceTest, SpheresCoverTheirHull) {
  RandomStream random(3);
  const Eigen::Matrix3Xd points =
      Eigen::Matrix3Xd::NullaryExpr(3, 200, [&] { return random.normal(); });
  const auto hull = make_hull(Vector3d(0.3, 0.05, 0.04).asDiagonal() * points);
  ASSERT_TRUE(hull);
  const auto spheres = sphere_cover(*hull);
  EXPECT_GT(spheres.size(), 2u);
  for (int i = 0; i < 2000; ++i) {
    VectorXd weights =
        VectorXd::NullaryExpr(hull->points.cols(), [&] { return std::pow(random.uniform(), 20); });
    const Vector3d inside = hull->points * (weights / weights.sum());
    EXPECT_TRUE(std::any_of(spheres.begin(), spheres.end(), [&](const CoverSphere& sphere) {
      return (inside - sphere.center).norm() <= sphere.radius + 1e-12;
    }));
  }
}

TEST_F(ClearanceTest, SlopesAgreeWithDifferences) {
  const CollisionModel bars_and_post = model();
  const SpherePairs pairs(bars_and_post);
  ASSERT_GT(pairs.num_constraints(), 5);
  constexpr int kSamples = 7;
  excite::ClearanceTerm term(
      pairs, VectorXd::Constant(static_cast<Eigen::Index>(pairs.groups().size()), 0.3), kSamples);
  RandomStream random(5);
  const auto noise = [&] {
    return Eigen::ArrayXXd::NullaryExpr(kSamples, 3, [&] { return random.uniform(-2, 2); }).eval();
  };
  const Eigen::ArrayXXd q = noise();
  auto multipliers = term.no_multipliers();
  term.raise(noise(), 3, multipliers);
  Eigen::ArrayXXd slope = Eigen::ArrayXXd::Zero(kSamples, 3);
  EXPECT_GT(term.value(q, multipliers, 10, &slope), 0);
  EXPECT_GT(slope.matrix().norm(), 0.1);
  for (int i = 0; i < 4; ++i) {
    const Eigen::ArrayXXd direction = noise();
    const double h = 1e-5;
    const double difference = (term.value(q + h * direction, multipliers, 10, nullptr) -
                               term.value(q - h * direction, multipliers, 10, nullptr)) /
                              (2 * h);
    EXPECT_NEAR((slope * direction).sum(), difference, 1e-6 * slope.matrix().norm()) << i;
  }
}

TEST_F(ClearanceTest, VerifiedBoundsHoldAtDenseSamples) {
  const CollisionModel bars_and_post = model();
  const Vector3d speed(1.3, 2.1, -1.7), size(0.4, 0.5, 0.6);
  const auto at = [&](double t, VectorXd& q, VectorXd& qd) {
    q = (size.array() * (speed.array() * t).sin()).matrix();
    qd = (size.array() * speed.array() * (speed.array() * t).cos()).matrix();
  };
  const VectorXd acceleration = size.array() * speed.array().square();
  const ClearanceFound found = prove_clearance(bars_and_post, {4, at, acceleration}, 1e-4);
  ASSERT_TRUE(found.least.proved);
  constexpr int kSamples = 4000;
  const VectorXd time = VectorXd::LinSpaced(kSamples + 1, 0, 4);
  Eigen::ArrayXXd positions(kSamples + 1, 3);
  VectorXd q, qd;
  for (int i = 0; i <= kSamples; ++i) {
    at(time[i], q, qd);
    positions.row(i) = q.transpose().array();
  }
  const ClearanceFound sampled = sample_clearance(bars_and_post, time, positions);
  EXPECT_GT(sampled.least.value, 0.02);
  EXPECT_LE(found.least.value, sampled.least.value);
  EXPECT_GE(found.least.value, sampled.least.value - 2e-4);
  EXPECT_EQ(found.least.first, sampled.least.first);
  EXPECT_EQ(found.least.second, sampled.least.second);
}

TEST_F(ClearanceTest, NamesTheObstacle) {
  Obstacle around = post();
  around.name = "wall";
  around.shape.X_link_shape.translation() = Vector3d(0.5, 0, 0);
  const VectorXd most = VectorXd::Constant(3, 2.8);
  const auto in_base = make_collision_model(bars(), {.obstacles = {around}}, -most, most);
  ASSERT_FALSE(in_base);
  EXPECT_EQ(in_base.error().where, "obstacle 'wall'");
  EXPECT_NE(in_base.error().what.find("overlaps the link base, which is fixed to the base"),
            std::string::npos)
      << in_base.error().message();
  // clear of the base, and in the way of the next link wherever it turns
  around.shape.radius = 0.14;
  around.shape.X_link_shape.translation() = Vector3d(0.6, 0, 0);
  const auto made = make_collision_model(bars(), {.obstacles = {around}}, -most, most);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().what.find("wall and the link a collide"), std::string::npos)
      << made.error().message();
}

}  // namespace
}  // namespace heft
