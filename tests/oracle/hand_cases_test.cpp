// Both oracles compared with textbook equations of motion, one idea at a time. These cases fix the
// conventions: signs, axes, ratio and offset, order of the base channels.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/oracle/compare.hpp"
#include "tests/oracle/newton_euler.hpp"
#include "tests/oracle/point_mass_lagrangian.hpp"
#include "tests/oracle/random_robot.hpp"

namespace heft::oracle {
namespace {

// A few roundings of the largest number in the case.
void expect_both(const Robot& robot, const Motion& motion, const Eigen::VectorXd& expected) {
  const double tolerance =
      64 * std::numeric_limits<double>::epsilon() * std::max(1.0, largest_entry(expected));
  const Eigen::VectorXd by_points = point_mass_torques(robot, motion);
  const Eigen::VectorXd by_bodies = newton_euler_torques(robot, motion);
  const Eigen::VectorXd by_regressor =
      newton_euler_regressor(robot, motion) * stacked_parameters(robot);
  ASSERT_EQ(by_points.size(), expected.size());
  ASSERT_EQ(by_bodies.size(), expected.size());
  EXPECT_LE(largest_difference(by_points, expected), tolerance) << by_points.transpose();
  EXPECT_LE(largest_difference(by_bodies, expected), tolerance) << by_bodies.transpose();
  EXPECT_LE(largest_difference(by_regressor, expected), tolerance) << by_regressor.transpose();
}

BodyParameters point_mass(double mass, const Eigen::Vector3d& at) {
  return parameters_of_spread_mass(mass, at, Eigen::Matrix3d::Zero());
}

Body joint(JointType type, const Eigen::Vector3d& axis, int parent, int coordinate) {
  Body body;
  body.type = type;
  body.axis = axis;
  body.parent = parent;
  body.coordinate = coordinate;
  return body;
}

Motion standing(const Robot& robot, std::initializer_list<double> q,
                std::initializer_list<double> qd, std::initializer_list<double> qdd) {
  const auto vector = [](std::initializer_list<double> numbers) -> Eigen::VectorXd {
    return Eigen::Map<const Eigen::VectorXd>(numbers.begin(),
                                             static_cast<Eigen::Index>(numbers.size()));
  };
  return motion_on_standing_base(robot, vector(q), vector(qd), vector(qdd));
}

Eigen::VectorXd channels(std::initializer_list<double> numbers) {
  return Eigen::Map<const Eigen::VectorXd>(numbers.begin(),
                                           static_cast<Eigen::Index>(numbers.size()));
}

const double m = 2.5, g = 9.81, q = 0.4, qd = 1.7, qdd = -3.2;

TEST(HandCases, PendulumTurnsAboutMinusYAgainstGravity) {
  // about -y a mass on the x axis rises with q: tau = m l^2 q'' + m g l cos q
  const double l = 0.8;
  Robot robot;
  robot.bodies = {joint(JointType::revolute, -Eigen::Vector3d::UnitY(), -1, 0)};
  robot.bodies[0].prior = point_mass(m, {l, 0, 0});
  robot.coordinates.resize(1);
  expect_both(robot, standing(robot, {q}, {qd}, {qdd}),
              channels({m * l * l * qdd + m * g * l * std::cos(q)}));
}

TEST(HandCases, PlacementTurnsTheAxis) {
  // the parent sees the body's z axis as x: a mass on the body's x axis falls as the pendulum does
  const double l = 0.8;
  Robot robot;
  robot.bodies = {joint(JointType::revolute, Eigen::Vector3d::UnitZ(), -1, 0)};
  robot.bodies[0].X_parent_body.linear() << 0, 0, 1, 1, 0, 0, 0, 1, 0;
  robot.bodies[0].X_parent_body.translation() << 5, -7, 3;
  robot.bodies[0].prior = point_mass(m, {l, 0, 0});
  robot.coordinates.resize(1);
  expect_both(robot, standing(robot, {q}, {qd}, {qdd}),
              channels({m * l * l * qdd + m * g * l * std::cos(q)}));
}

TEST(HandCases, LiftFeelsWeightAndInertiaWhereverItsMassIs) {
  Robot robot;
  robot.bodies = {joint(JointType::prismatic, Eigen::Vector3d::UnitZ(), -1, 0)};
  robot.bodies[0].prior = point_mass(m, {0.3, -0.2, 0.7});
  robot.coordinates.resize(1);
  expect_both(robot, standing(robot, {q}, {qd}, {qdd}), channels({m * (qdd + g)}));
}

TEST(HandCases, ScrewIsLiftAndWheelAtOnce) {
  // tau = (I + m pitch^2) q'' + m g pitch about z with the mass on the axis
  const double pitch = -0.15;
  const Eigen::Vector3d covariance(0.01, 0.02, 0.04);
  Robot robot;
  robot.bodies = {joint(JointType::helical, Eigen::Vector3d::UnitZ(), -1, 0)};
  robot.bodies[0].pitch = pitch;
  robot.bodies[0].prior = parameters_of_spread_mass(m, {0, 0, 0.3}, covariance.asDiagonal());
  robot.coordinates.resize(1);
  const double axial = m * (covariance[0] + covariance[1]);
  expect_both(robot, standing(robot, {q}, {qd}, {qdd}),
              channels({(axial + m * pitch * pitch) * qdd + m * g * pitch}));
}

TEST(HandCases, MassOnASpokeFeelsCoriolisAndCentrifugalForce) {
  // polar coordinates in the horizontal plane: (r^2 th'' + 2 r r' th') m and (r'' - r th'^2) m
  const double th = 2.9, thd = 1.3, thdd = -0.8, r = 0.6, rd = -2.2, rdd = 4.1;
  Robot robot;
  robot.bodies = {joint(JointType::revolute, Eigen::Vector3d::UnitZ(), -1, 0),
                  joint(JointType::prismatic, Eigen::Vector3d::UnitX(), 0, 1)};
  robot.bodies[0].has_parameters = false;
  robot.bodies[1].prior = point_mass(m, Eigen::Vector3d::Zero());
  robot.coordinates.resize(2);
  expect_both(robot, standing(robot, {th, r}, {thd, rd}, {thdd, rdd}),
              channels({m * (r * r * thdd + 2 * r * rd * thd), m * (rdd - r * thd * thd)}));
}

TEST(HandCases, RotorAddsItsAxialInertiaTimesTheRatioSquared) {
  const double l = 0.8, ratio = -50, axial = 3e-4;
  Robot robot;
  robot.bodies = {joint(JointType::revolute, Eigen::Vector3d::UnitZ(), -1, 0),
                  joint(JointType::revolute, Eigen::Vector3d::UnitX(), -1, 0)};
  robot.bodies[0].prior = point_mass(m, {l, 0, 0});
  robot.bodies[1].ratio = ratio;
  robot.bodies[1].offset = 0.9;
  robot.bodies[1].prior << 0.2, 0, 0, 0, axial, 0, 2e-4, 0, 0, 2e-4;
  robot.coordinates.resize(1);
  expect_both(robot, standing(robot, {q}, {qd}, {qdd}),
              channels({(m * l * l + ratio * ratio * axial) * qdd}));
}

TEST(HandCases, RotorOnATurningLinkPrecesses) {
  // the link turns by p about z, the rotor on it by n s about x: with axial inertia A and
  // transverse inertia B tau_p = B p'', tau_s = n^2 A s'', and about y the gyroscopic torque A n s'
  // p' that only the base feels
  const double A = 3e-4, B = 2e-4, n = 40, pd = 2, pdd = 5, sd = 7, sdd = -9;
  Robot robot;
  robot.floating_base = true;
  Body root;
  root.type = JointType::rigid;
  robot.bodies = {root, joint(JointType::revolute, Eigen::Vector3d::UnitZ(), 0, 0),
                  joint(JointType::revolute, Eigen::Vector3d::UnitX(), 1, 1)};
  robot.bodies[1].has_parameters = false;
  robot.bodies[2].ratio = n;
  robot.bodies[2].prior << 0, 0, 0, 0, A, 0, B, 0, 0, B;
  robot.coordinates.resize(2);
  const Motion motion = standing(robot, {0, 0}, {pd, sd}, {pdd, sdd});
  expect_both(robot, motion,
              channels({0, 0, 0, A * n * sdd, A * n * sd * pd, B * pdd, B * pdd, n * n * A * sdd}));
}

TEST(HandCases, MimicJointDrivesTwoLiftsByOneCoordinate) {
  // side by side, at q and at ratio q + offset: the offset changes nothing, the ratio enters
  // squared and once
  const double ratio = -0.6, other = 1.1;
  Robot robot;
  robot.bodies = {joint(JointType::prismatic, Eigen::Vector3d::UnitZ(), -1, 0),
                  joint(JointType::prismatic, Eigen::Vector3d::UnitZ(), -1, 0)};
  robot.bodies[0].prior = point_mass(m, Eigen::Vector3d::Zero());
  robot.bodies[1].prior = point_mass(other, Eigen::Vector3d::Zero());
  robot.bodies[1].ratio = ratio;
  robot.bodies[1].offset = 12;
  robot.coordinates.resize(1);
  expect_both(robot, standing(robot, {q}, {qd}, {qdd}),
              channels({m * (qdd + g) + other * (ratio * ratio * qdd + ratio * g)}));
}

TEST(HandCases, MimicOffsetShiftsTheAngle) {
  const double l = 0.8, ratio = 2, offset = 0.5;
  Robot robot;
  robot.bodies = {joint(JointType::revolute, -Eigen::Vector3d::UnitY(), -1, 0)};
  robot.bodies[0].prior = point_mass(m, {l, 0, 0});
  robot.bodies[0].ratio = ratio;
  robot.bodies[0].offset = offset;
  robot.coordinates.resize(1);
  expect_both(
      robot, standing(robot, {q}, {qd}, {qdd}),
      channels({ratio * (m * l * l * ratio * qdd + m * g * l * std::cos(ratio * q + offset))}));
}

TEST(HandCases, FloatingBodyFollowsNewtonAndEuler) {
  // force m (a - g + wd x c + w x (w x c)); torque about the origin I wd + w x I w + m c x (a - g)
  const Eigen::Vector3d c(0.1, -0.2, 0.3), w(1.1, -0.7, 2.3), wd(-4, 3, 1.5), a(0.6, -8.1, 4.4);
  const Eigen::Vector3d covariance(0.01, 0.02, 0.04);
  Robot robot;
  robot.floating_base = true;
  robot.bodies.resize(1);
  robot.bodies[0].type = JointType::rigid;
  robot.bodies[0].prior = parameters_of_spread_mass(m, c, covariance.asDiagonal());
  Motion motion;
  motion.base_angular_velocity = w;
  motion.base_angular_acceleration = wd;
  motion.base_specific_force = a;

  const Eigen::Matrix3d sigma = m * (Eigen::Matrix3d(covariance.asDiagonal()) + c * c.transpose());
  const Eigen::Matrix3d I = sigma.trace() * Eigen::Matrix3d::Identity() - sigma;
  Eigen::VectorXd expected(6);
  expected << m * (a + wd.cross(c) + w.cross(w.cross(c))), I * wd + w.cross(I * w) + m * c.cross(a);
  expect_both(robot, motion, expected);
}

}  // namespace
}  // namespace heft::oracle
