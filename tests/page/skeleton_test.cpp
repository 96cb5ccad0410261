// The drawing of a robot compared with solids whose ellipsoids are known.
#include <gtest/gtest.h>

#include <cmath>

#include "host/results/page/skeleton.hpp"
#include "tests/oracle/newton_euler.hpp"
#include "tests/oracle/random_robot.hpp"

namespace heft {
namespace {

/// A homogeneous ellipsoid with these semi-axes, turned and moved: I = m / 5 diag(b^2 + c^2, ..) at
/// its center.
BodyParameters solid_ellipsoid(double mass, const Eigen::Vector3d& semi_axes,
                               const Eigen::Matrix3d& R, const Eigen::Vector3d& center) {
  const Eigen::Vector3d s = semi_axes.cwiseAbs2();
  const Eigen::Vector3d moments = mass / 5 * Eigen::Vector3d(s[1] + s[2], s[0] + s[2], s[0] + s[1]);
  return parameters_about_origin(mass, center, R * moments.asDiagonal() * R.transpose());
}

TEST(Skeleton, AHomogeneousEllipsoidIsDrawnAsItself) {
  const Eigen::Vector3d semi_axes(0.1, 0.2, 0.4), center(0.3, -0.1, 0.2);
  const Eigen::Matrix3d R =
      Eigen::AngleAxisd(0.7, Eigen::Vector3d(1, 2, 3).normalized()).toRotationMatrix();
  Robot robot;
  robot.bodies.resize(2);
  robot.bodies[0].name = "first";
  robot.bodies[1].name = "second";
  robot.bodies[1].parent = 0;
  const BodyParameters solid = solid_ellipsoid(3, semi_axes, R, center);
  const auto json =
      bodies_json(robot, {BodyParameters::Zero(), solid}, {BodyParameters::Zero(), -solid});

  EXPECT_TRUE(json[0]["identified"].is_null());
  EXPECT_TRUE(json[1]["prior"].is_null());
  EXPECT_EQ(json[0]["parent"], -1);
  EXPECT_EQ(json[1]["parent"], 0);
  const Eigen::Matrix3d shape = R * semi_axes.cwiseAbs2().asDiagonal() * R.transpose();
  const auto& drawn = json[1]["identified"];
  EXPECT_EQ(drawn["mass"], 3.0);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(drawn["centre"][k].get<double>(), center[k], 1e-14);
  const int rows[] = {0, 0, 0, 1, 1, 2}, columns[] = {0, 1, 2, 1, 2, 2};
  for (int k = 0; k < 6; ++k)
    EXPECT_NEAR(drawn["shape"][k].get<double>(), shape(rows[k], columns[k]), 1e-14);
}

TEST(Skeleton, PlacesBodiesLikeTheOracle) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Robot robot =
        oracle::random_robot(oracle::RandomRobotOptions::everything(seed % 2 == 0), seed);
    oracle::Random random(seed);
    const oracle::Motion motion = oracle::random_motion(robot, random);
    const std::vector<oracle::BodyMotion> expected = oracle::body_motions(robot, motion);
    const std::vector<Eigen::Isometry3d> poses = body_poses(robot, motion.q);
    const auto json = skeleton_json(
        robot, std::vector<BodyParameters>(robot.bodies.size(), BodyParameters::Zero()),
        std::vector<BodyParameters>(robot.bodies.size(), BodyParameters::Zero()),
        {{.time_s = 2.5, .position = motion.q}});
    ASSERT_EQ(poses.size(), expected.size());
    EXPECT_EQ(json["postures"][0]["time_s"], 2.5);
    for (std::size_t i = 0; i < poses.size(); ++i) {
      const Eigen::Matrix3d R = expected[i].R.cast<double>();
      const Eigen::Vector3d p = expected[i].p.cast<double>();
      EXPECT_LE((poses[i].linear() - R).norm(), 1e-11) << seed;
      EXPECT_LE((poses[i].translation() - p).norm(), 1e-11 * (1 + p.norm())) << seed;
      const std::vector<double> pose = json["postures"][0]["poses"][i];
      EXPECT_LE((Eigen::Vector3d(pose[0], pose[1], pose[2]) - p).norm(), 2e-6);
      EXPECT_LE(
          (Eigen::Quaterniond(pose[6], pose[3], pose[4], pose[5]).toRotationMatrix() - R).norm(),
          2e-5);
    }
  }
}

/// Two balls of radius 0.1, the second at the end of an arm of 1 m that turns about z.
struct TwoBalls {
  TwoBalls() {
    robot.bodies.resize(2);
    robot.coordinates.resize(1);
    robot.bodies[0].type = JointType::rigid;
    robot.bodies[1].coordinate = 0;
    const Eigen::Vector3d radii = Eigen::Vector3d::Constant(0.1);
    bodies = {solid_ellipsoid(1, radii, Eigen::Matrix3d::Identity(), Eigen::Vector3d::Zero()),
              solid_ellipsoid(1, radii, Eigen::Matrix3d::Identity(), Eigen::Vector3d::UnitX())};
  }
  double overlap(double q) const {
    return overlap_in_view(robot, bodies, body_poses(robot, Eigen::VectorXd::Constant(1, q)));
  }
  Robot robot;
  std::vector<BodyParameters> bodies;
};

TEST(Skeleton, OverlapIsThatOfTheGaussiansInThePicture) {
  const TwoBalls balls;
  // the page looks along (cos a cos e, sin a cos e, sin e), a = -0.9, e = 0.35: of the arm at the
  // angle q the picture keeps sin(q - a) to the right and cos(q - a) sin(e) upwards
  for (const double q : {-0.9, -0.4, 0.3, 0.67, 2.0}) {
    const double right = std::sin(q + 0.9), up = std::cos(q + 0.9) * std::sin(0.35);
    EXPECT_NEAR(balls.overlap(q), std::exp(-0.5 * (right * right + up * up) / 0.02), 1e-12);
  }
  EXPECT_GT(balls.overlap(-0.9), 0.05);
  EXPECT_LT(balls.overlap(-0.9 + M_PI / 2), 1e-10);
}

TEST(Skeleton, ThePostureOfLeastOverlapIsShown) {
  const TwoBalls balls;
  std::vector<Posture> postures;
  for (const double q : {-0.9, -0.5, 0.6, -0.8})
    postures.push_back({.time_s = q, .position = Eigen::VectorXd::Constant(1, q)});
  EXPECT_EQ(skeleton_json(balls.robot, balls.bodies, balls.bodies, postures)["posture"], 2);
  const auto without = skeleton_json(balls.robot, balls.bodies, balls.bodies, {});
  EXPECT_EQ(without["posture"], 0);
  EXPECT_TRUE(without["postures"][0]["time_s"].is_null());
  EXPECT_EQ(without["postures"][0]["poses"][1],
            (nlohmann::ordered_json{0., 0., 0., 0., 0., 0., 1.}));
}

}  // namespace
}  // namespace heft
