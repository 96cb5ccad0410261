// Random robots are valid and reproducible, and together have everything that a robot can have.
#include "tests/oracle/random_robot.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <limits>
#include <set>

namespace heft::oracle {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr int kNumSeeds = 100;

Eigen::Matrix4d pseudo_inertia_of(const BodyParameters& pi) {
  Eigen::Matrix3d I;
  I << pi[4], pi[5], pi[7], pi[5], pi[6], pi[8], pi[7], pi[8], pi[9];
  Eigen::Matrix4d J;
  J.topLeftCorner<3, 3>() = I.trace() / 2 * Eigen::Matrix3d::Identity() - I;
  J.topRightCorner<3, 1>() = pi.segment<3>(1);
  J.bottomLeftCorner<1, 3>() = pi.segment<3>(1).transpose();
  J(3, 3) = pi[0];
  return J;
}

void expect_valid(const Robot& robot) {
  std::vector<int> branch{-1};  // the last body and its ancestors
  std::set<int> driven;
  std::set<std::string> names;
  for (int j = 0; j < robot.num_bodies(); ++j) {
    const Body& body = robot.bodies[j];
    EXPECT_TRUE(names.insert(body.name).second) << body.name;

    // depth first: the parent is on the branch of the body before
    while (!branch.empty() && branch.back() != body.parent) branch.pop_back();
    ASSERT_FALSE(branch.empty()) << body.name;
    branch.push_back(j);

    const Eigen::Matrix3d R = body.X_parent_body.linear();
    EXPECT_LE((R.transpose() * R - Eigen::Matrix3d::Identity()).norm(), 16 * kEpsilon);
    EXPECT_GT(R.determinant(), 0);
    EXPECT_NEAR(body.axis.norm(), 1, 4 * kEpsilon);

    if (body.type == JointType::rigid) {
      EXPECT_TRUE(robot.floating_base && j == 0);
      EXPECT_EQ(body.coordinate, -1);
    } else {
      ASSERT_GE(body.coordinate, 0);
      ASSERT_LT(body.coordinate, robot.num_coordinates());
      driven.insert(body.coordinate);
    }
    EXPECT_EQ(body.type == JointType::helical, body.pitch != 0);
    if (body.has_parameters) {
      const Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d> J(pseudo_inertia_of(body.prior));
      EXPECT_GT(J.eigenvalues()[0], 16 * kEpsilon * J.eigenvalues()[3]) << body.name;
    } else {
      EXPECT_EQ(body.prior, BodyParameters::Zero());
    }
    if (body.symmetric) {
      // unchanged by a turn about the axis
      const Eigen::Matrix3d turn = Eigen::AngleAxisd(1.0, body.axis).toRotationMatrix();
      Eigen::Matrix4d T = Eigen::Matrix4d::Identity();
      T.topLeftCorner<3, 3>() = turn;
      const Eigen::Matrix4d J = pseudo_inertia_of(body.prior);
      EXPECT_LE((T * J * T.transpose() - J).norm(), 32 * kEpsilon * J.norm()) << body.name;
    }
  }
  EXPECT_EQ(static_cast<int>(driven.size()), robot.num_coordinates());
}

TEST(RandomRobot, IsValidForEverySeed) {
  for (int seed = 0; seed < kNumSeeds; ++seed) {
    SCOPED_TRACE(seed);
    expect_valid(random_robot({}, seed));
    expect_valid(random_robot(RandomRobotOptions::everything(false), seed));
    expect_valid(random_robot(RandomRobotOptions::everything(true), seed));
  }
}

TEST(RandomRobot, HasEveryKindOfBodySoonerOrLater) {
  int rotors = 0, symmetric = 0, mimics = 0, massless = 0, branches = 0, skew = 0, negative = 0;
  std::set<JointType> types;
  std::set<int> sizes;
  for (int seed = 0; seed < kNumSeeds; ++seed) {
    const Robot robot = random_robot(RandomRobotOptions::everything(true), seed);
    int links = 0;
    for (int j = 1; j < robot.num_bodies(); ++j) {
      const Body& body = robot.bodies[j];
      types.insert(body.type);
      links += body.has_parameters && !body.is_rotor;
      rotors += body.is_rotor;
      symmetric += body.symmetric;
      mimics += !body.is_rotor && body.ratio != 1 && body.offset != 0;
      massless += !body.has_parameters;
      branches += body.parent < j - 1 && !robot.bodies[j - 1].is_rotor;
      skew += body.axis.cwiseAbs().maxCoeff() < 1;
      negative += body.axis.minCoeff() == -1;
    }
    sizes.insert(links);
  }
  EXPECT_EQ(types.size(), 3u);
  EXPECT_EQ(sizes, (std::set<int>{1, 2, 3, 4, 5, 6, 7, 8}));
  for (const int count : {rotors, symmetric, mimics, massless, branches, skew, negative})
    EXPECT_GT(count, 20);
  EXPECT_LT(symmetric, rotors);
}

TEST(RandomRobot, DependsOnTheSeedAlone) {
  const auto options = RandomRobotOptions::everything(false);
  const Robot a = random_robot(options, 5), b = random_robot(options, 5),
              c = random_robot(options, 6);
  ASSERT_EQ(a.num_bodies(), b.num_bodies());
  for (int j = 0; j < a.num_bodies(); ++j) {
    EXPECT_EQ(a.bodies[j].prior, b.bodies[j].prior);
    EXPECT_EQ(a.bodies[j].axis, b.bodies[j].axis);
    EXPECT_EQ(a.bodies[j].X_parent_body.matrix(), b.bodies[j].X_parent_body.matrix());
  }
  EXPECT_NE(a.gravity, c.gravity);
}

TEST(RandomNumbers, FollowTheEngineOfTheStandard) {
  // [rand.predef]: the 10000th draw of a default-seeded mt19937_64 is 9981545732273789042
  Random random(std::mt19937_64::default_seed);
  for (int i = 0; i < 9999; ++i) random.uniform();
  EXPECT_EQ(random.uniform(), static_cast<double>(9981545732273789042ull >> 11) * 0x1p-53);
}

TEST(RandomNumbers, AreNormalInTheMean) {
  Random random(2);
  const int n = 100000;
  const Eigen::ArrayXd x = random.normal_vector(n).array();
  // the standard errors of the mean, variance and fourth moment are 1, sqrt(2) and sqrt(96) over
  // sqrt(n)
  EXPECT_NEAR(x.mean(), 0, 5 / std::sqrt(n));
  EXPECT_NEAR(x.square().mean(), 1, 5 * std::sqrt(2.0 / n));
  EXPECT_NEAR(x.pow(4).mean(), 3, 5 * std::sqrt(96.0 / n));
}

}  // namespace
}  // namespace heft::oracle
