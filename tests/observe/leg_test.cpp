// A leg identified on a fixed base and moved to a floating one: wrong there in exactly the
// directions that observe() reports as unidentifiable before and identifiable after. Rows and least
// squares are the oracle's and Eigen's.
#include <gtest/gtest.h>

#include "heft/observe/observe.hpp"
#include "linalg/minimum_norm.hpp"
#include "linalg/rotation_between.hpp"
#include "tests/observe/builders.hpp"
#include "tests/observe/sampled.hpp"

namespace heft {
namespace {

using Eigen::Vector3d;

constexpr double kGearRatio = 10.6;

/// Hip abduction, hip flexion and knee with a rotor each, on the last body of `robot` (-1: the
/// ground).
Robot leg_on(Robot robot, int trunk) {
  const auto pose = [](const Vector3d& translation, const Vector3d& axis) {
    Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
    X.translation() = translation;
    X.linear() = rotation_between(Vector3d::UnitZ(), axis);
    return X;
  };
  const Vector3d x = Vector3d::UnitX(), y = Vector3d::UnitY();
  const int hip = add_joint(robot, trunk, JointType::revolute, x, {0.19, 0.05, 0});
  add_rotor(robot, trunk, hip, kGearRatio, pose({0.14, 0.05, 0}, x));
  const int thigh = add_joint(robot, hip, JointType::revolute, y, {0, 0.06, 0});
  add_rotor(robot, hip, thigh, kGearRatio, pose({0, 0.04, 0}, y));
  const int shank = add_joint(robot, thigh, JointType::revolute, y, {0, 0, -0.21});
  add_rotor(robot, thigh, shank, kGearRatio, pose({0, 0.03, 0}, y));
  return robot;
}

Robot leg_on_the_ground() {
  Robot robot;
  robot.name = "leg on the ground";
  return leg_on(robot, -1);
}

Robot leg_on_a_trunk() {
  Robot robot;
  robot.name = "leg on a trunk";
  robot.floating_base = true;
  Body trunk;
  trunk.name = "trunk";
  trunk.type = JointType::rigid;
  robot.bodies.push_back(trunk);
  return leg_on(robot, 0);
}

TEST(LegOnTwoBases, FailsExactlyInTheNamedDirections) {
  const Robot fixed = leg_on_the_ground(), floating = leg_on_a_trunk();
  const auto before = observe(fixed), after = observe(floating);
  ASSERT_TRUE(before.ok() && after.ok());
  const int P = before->num_parameters();
  ASSERT_EQ(after->num_parameters(), P + 10);  // the trunk's own come first

  // an identification without noise that starts from a wrong prior: nothing moves along what rows
  // do not see
  const Eigen::MatrixXd Y = sampled::regressor(fixed, {}, 200, 1);
  oracle::Random random(2);
  const Eigen::VectorXd truth = random.normal_vector(P),
                        prior = truth + 0.3 * random.normal_vector(P);
  const Eigen::VectorXd identified = prior + minimum_norm_solution(Y, Y * (truth - prior));
  const Eigen::VectorXd error = identified - truth;
  ASSERT_GT(error.norm(), 0.1);
  EXPECT_LE((Y * error).norm(), 1e-9 * (Y * truth).norm());

  // all of the error lies in the null space that observe() names for the fixed base
  const Eigen::MatrixXd N = before->null_matrix();
  const Eigen::VectorXd along = minimum_norm_solution(N, error);
  EXPECT_LE((N * along - error).norm(), 1e-9 * error.norm());

  // on the floating base the error shows
  const Eigen::MatrixXd Y_floating = sampled::regressor(floating, {}, 200, 3).rightCols(P);
  EXPECT_GT((Y_floating * error).norm(), 0.01 * (Y_floating * truth).norm());

  // what observe() says is visible there of the fixed base's null space: with that part of the
  // error taken away nothing shows any more, and no smaller part will do
  const Eigen::MatrixXd R = after->base_matrix().rightCols(P);
  const Eigen::MatrixXd visible = R * N;
  const Eigen::VectorXd part = N * minimum_norm_solution(visible, R * error);
  EXPECT_LE((Y_floating * (error - part)).norm(), 1e-9 * (Y_floating * error).norm());
  const Eigen::Index rank = visible.completeOrthogonalDecomposition().rank();
  EXPECT_EQ(rank, sampled::numerical_rank(Y_floating * N).rank);
  EXPECT_GT(rank, 0);
}

}  // namespace
}  // namespace heft
