// Fourier motions: derivatives compared with central differences of the values, bounds, the motion
// of the base.
#include "tests/oracle/fourier_motion.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/oracle/compare.hpp"
#include "tests/oracle/random_robot.hpp"

namespace heft::oracle {
namespace {

TEST(FourierMotion, DerivativesAreThoseOfTheValues) {
  // A central difference errs by step^2/6 max|f'''| <= step^2/6 (2 pi f H)^3 amplitude and by
  // eps/step; with the highest frequency H f = 1 Hz and step 1e-4 both stay below 1e-6 of the
  // highest derivative here.
  const Robot robot = random_robot(RandomRobotOptions::everything(true), 4);
  const FourierMotion trajectory(robot, 9);
  const double step = 1e-4, omega = 2 * std::acos(-1.0);
  const double tolerance = step * step / 6 * std::pow(omega, 4) + 1e-15 * omega / step;
  for (const double t : {0.0, 0.37, 4.2}) {
    const Motion before = trajectory.at(t - step), now = trajectory.at(t),
                 after = trajectory.at(t + step);
    const auto expect_rate = [&](const auto& rate, const auto& later, const auto& earlier) {
      EXPECT_GT(rate.norm(), 0.01);
      const Eigen::VectorXd difference_quotient = (later - earlier) / (2 * step);
      EXPECT_LE(largest_difference(rate, difference_quotient), tolerance);
    };
    expect_rate(now.qd, after.q, before.q);
    expect_rate(now.qdd, after.qd, before.qd);
    expect_rate(now.base_angular_acceleration, after.base_angular_velocity,
                before.base_angular_velocity);
  }
}

TEST(FourierMotion, StaysWithinItsAmplitudesAndUsesThem) {
  const Robot robot = random_robot({}, 11);
  const FourierMotionOptions options;
  const FourierMotion trajectory(robot, 3, options);
  Eigen::VectorXd largest = Eigen::VectorXd::Zero(robot.num_coordinates()), smallest = largest;
  for (int i = 0; i < 500; ++i) {
    const Eigen::VectorXd q = trajectory.at(0.01 * i).q;
    largest = i == 0 ? q : largest.cwiseMax(q);
    smallest = i == 0 ? q : smallest.cwiseMin(q);
  }
  for (int k = 0; k < robot.num_coordinates(); ++k) {
    const double amplitude =
        robot.coordinates[k].is_angle ? options.angle_amplitude : options.slide_amplitude;
    EXPECT_LE(std::max(largest[k], -smallest[k]), 1.5 * amplitude);
    EXPECT_GT(largest[k] - smallest[k], 0.5 * amplitude);
  }
}

TEST(FourierMotion, LeavesAFixedBaseInItsGravity) {
  const Robot robot = random_robot(RandomRobotOptions::everything(false), 2);
  const Motion motion = FourierMotion(robot, 1).at(1.5);
  EXPECT_EQ(motion.base_angular_velocity, Eigen::Vector3d::Zero());
  EXPECT_EQ(motion.base_angular_acceleration, Eigen::Vector3d::Zero());
  EXPECT_EQ(motion.base_specific_force, Eigen::Vector3d(-robot.gravity));
}

}  // namespace
}  // namespace heft::oracle
