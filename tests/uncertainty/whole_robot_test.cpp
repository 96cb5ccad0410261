// Mass and center of mass of a whole robot against the bodies' poses by another route; what the
// prior does to functions of the parameters against what it does to single ones.
#include <gtest/gtest.h>

#include <cmath>

#include "heft/uncertainty/uncertainty.hpp"
#include "tests/oracle/compare.hpp"
#include "tests/oracle/newton_euler.hpp"
#include "tests/oracle/random_robot.hpp"

namespace heft {
namespace {

TEST(WholeRobot, IsTheSumOfItsBodiesWithJointsAtZero) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Robot robot = oracle::random_robot(oracle::RandomRobotOptions::everything(true), seed);
    const ParameterLayout layout = make_parameter_layout(robot, {});
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(robot.num_coordinates());
    const auto bodies =
        oracle::body_motions(robot, oracle::motion_on_standing_base(robot, zero, zero, zero));
    oracle::Real mass = 0;
    oracle::Vector3r moment = oracle::Vector3r::Zero();
    for (std::size_t b = 0; b < robot.bodies.size(); ++b) {
      if (!robot.bodies[b].has_parameters) continue;
      const BodyParameters& pi = robot.bodies[b].prior;
      mass += pi[core::kMass];
      moment += pi[core::kMass] * bodies[b].p +
                bodies[b].R * pi.segment<3>(core::kMcx).cast<oracle::Real>();
    }
    const WholeRobot whole = whole_robot(robot, layout, oracle::stacked_parameters(robot));
    EXPECT_NEAR(whole.mass, static_cast<double>(mass), 1e-13 * static_cast<double>(mass));
    EXPECT_LE((whole.com - (moment / mass).cast<double>()).norm(), 1e-12 * (1 + whole.com.norm()))
        << seed;
    EXPECT_FALSE(whole.mass_interval || whole.com_interval[0]);
  }
}

TEST(PriorOfFunctions, OfSingleParametersIsThatOfTheParameters) {
  oracle::RandomRobotOptions options;
  options.min_bodies = options.max_bodies = 3;
  const Robot robot = oracle::random_robot(options, 8);
  const ParameterLayout layout = make_parameter_layout(robot, {});
  const int P = layout.num_parameters();
  const auto prior = make_prior(layout, robot, {.weight = 0.05});
  ASSERT_TRUE(prior.ok()) << prior.error().message();
  oracle::Random random(4);
  Eigen::MatrixXd Y(P / 2, P);
  for (Eigen::Index i = 0; i < Y.rows(); ++i) Y.row(i) = random.normal_vector(P).transpose();
  const NormalEquations equations{Y.transpose() * Y, Eigen::VectorXd::Zero(P), 1, 1};
  const Eigen::VectorXd x = oracle::stacked_parameters(robot) + 0.1 * random.normal_vector(P);
  // twice a parameter has twice the deviation
  const auto of_functions =
      prior_of_functions(layout, equations, *prior, x, 1, 2 * Eigen::MatrixXd::Identity(P, P));
  const auto shares = prior_shares(layout, equations, *prior);
  const auto error = prior_error(layout, equations, *prior, x, 1);
  ASSERT_TRUE(of_functions.ok() && shares.ok() && error.ok());
  EXPECT_LE((of_functions->shares - *shares).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LE((of_functions->deviations - 2 * error->deviation).cwiseAbs().maxCoeff(),
            1e-9 * error->deviation.maxCoeff());
  EXPECT_GT(of_functions->shares.minCoeff(), 0);
}

}  // namespace
}  // namespace heft
