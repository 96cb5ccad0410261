// The drawing of a robot against solids whose ellipsoids are known.
#include <gtest/gtest.h>

#include "host/page/skeleton.hpp"

namespace heft {
namespace {

/// A homogeneous ellipsoid with these semi-axes, turned and moved: I = m / 5 diag(b^2 + c^2, ..) at its centre.
BodyParameters solid_ellipsoid(double mass, const Eigen::Vector3d& semi_axes, const Eigen::Matrix3d& R,
                               const Eigen::Vector3d& centre) {
  const Eigen::Vector3d s = semi_axes.cwiseAbs2();
  const Eigen::Vector3d moments = mass / 5 * Eigen::Vector3d(s[1] + s[2], s[0] + s[2], s[0] + s[1]);
  return parameters_about_origin(mass, centre, R * moments.asDiagonal() * R.transpose());
}

TEST(Skeleton, AHomogeneousEllipsoidIsDrawnAsItself) {
  const Eigen::Vector3d semi_axes(0.1, 0.2, 0.4), centre(0.3, -0.1, 0.2);
  const Eigen::Matrix3d R = Eigen::AngleAxisd(0.7, Eigen::Vector3d(1, 2, 3).normalized()).toRotationMatrix();
  Robot robot;
  robot.bodies.resize(2);
  robot.bodies[0].name = "first";
  robot.bodies[0].X_parent_body.translation() << 0, 0, 1;
  robot.bodies[1].name = "second";
  robot.bodies[1].parent = 0;
  robot.bodies[1].X_parent_body =
      Eigen::Translation3d(1, 0, 0) * Eigen::AngleAxisd(M_PI / 2, Eigen::Vector3d::UnitX());
  robot.bodies[1].offset = M_PI / 2;  // the zero posture of a coordinate is not that of the joint
  const BodyParameters solid = solid_ellipsoid(3, semi_axes, R, centre);
  const auto json = skeleton_json(robot, {BodyParameters::Zero(), solid}, {BodyParameters::Zero(), -solid});

  EXPECT_TRUE(json[0]["identified"].is_null());
  EXPECT_TRUE(json[1]["prior"].is_null());
  EXPECT_EQ(json[0]["parent"], -1);
  EXPECT_EQ(json[1]["parent"], 0);
  EXPECT_EQ(json[1]["origin"], (nlohmann::ordered_json{1.0, 0.0, 1.0}));
  // the body's axes in base axes: z was turned to -y, then x and y by a right angle about it
  Eigen::Matrix3d turned;
  turned.col(0) << 0, 0, 1;
  turned.col(1) << -1, 0, 0;
  turned.col(2) << 0, -1, 0;
  const Eigen::Vector3d place = Eigen::Vector3d(1, 0, 1) + turned * centre;
  const Eigen::Matrix3d shape =
      turned * R * semi_axes.cwiseAbs2().asDiagonal() * R.transpose() * turned.transpose();
  const auto& drawn = json[1]["identified"];
  EXPECT_EQ(drawn["mass"], 3.0);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(drawn["centre"][k].get<double>(), place[k], 1e-14);
  const int rows[] = {0, 0, 0, 1, 1, 2}, columns[] = {0, 1, 2, 1, 2, 2};
  for (int k = 0; k < 6; ++k) EXPECT_NEAR(drawn["shape"][k].get<double>(), shape(rows[k], columns[k]), 1e-14);
}

}  // namespace
}  // namespace heft
