// The benefit of a population for a robot, on rows with a known truth; the prior in the form that
// the convex problem uses.
#include "population/population.hpp"
#include "population/noise.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "heft/solve/problem.hpp"
#include "heft/solve/solve.hpp"
#include "linalg/factorizations.hpp"
#include "solve/body_scale.hpp"

namespace heft {
namespace {

constexpr double kColumnSpread = 0.15;
constexpr int kBodies = 2, kColumns = 2, kSize = 10 * kBodies + kColumns;

struct World {
  PopulationModel model;
  std::vector<PopulationRobot> robots;
  std::vector<Eigen::VectorXd> truth;
  Eigen::VectorXd design;
  Eigen::MatrixXd precision;  ///< inverse covariance of robots about the design
};

/// Robots of a design that the file has wrong by `file_error`, relative; `rows` rows each that see
/// no more than `seen` directions.
World a_world(std::size_t count, double spread, int rows, int seen, unsigned seed,
              double file_error = 0.15) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  const auto noise = [&](Eigen::Index n, Eigen::Index m) {
    return Eigen::MatrixXd(Eigen::MatrixXd::NullaryExpr(n, m, [&] { return normal(random); }));
  };
  World world;
  ParameterLayout& layout = world.model.layout;
  Prior& prior = world.model.prior;
  Eigen::VectorXd design(kSize);
  std::vector<Eigen::MatrixXd> scales;
  for (int body = 0; body < kBodies; ++body) {
    layout.bodies.push_back("body_" + std::to_string(body)), layout.body_index.push_back(body);
    const BodyParameters file =
        parameters_about_origin(2.0 + body, Eigen::Vector3d(0.1, 0, 0.05 * body),
                                Eigen::Vector3d(0.02, 0.03, 0.025).asDiagonal());
    prior.references.push_back(file), prior.held.push_back(false);
    scales.emplace_back(body_scale(file));
    Eigen::VectorXd z = scales.back().partialPivLu().solve(Eigen::VectorXd(file));
    z += file_error * noise(10, 1);
    design.segment(10 * body, 10) = scales.back() * z;
  }
  for (int k = 0; k < kColumns; ++k) {
    layout.columns.push_back(
        {.name = "viscous " + std::to_string(k), .kind = "viscous", .unit = "N m s/rad"});
    design[10 * kBodies + k] = 3 + k;
  }
  world.design = design;
  world.precision = Eigen::MatrixXd::Zero(kSize, kSize);
  for (int body = 0; body < kBodies; ++body) {
    const Eigen::MatrixXd inverse = scales[static_cast<std::size_t>(body)].inverse() / spread;
    world.precision.block(10 * body, 10 * body, 10, 10) = inverse.transpose() * inverse;
  }
  for (int k = 10 * kBodies; k < kSize; ++k)
    world.precision(k, k) = 1 / (kColumnSpread * kColumnSpread * design[k] * design[k]);
  const Eigen::MatrixXd mixing = noise(seen, kSize);
  for (std::size_t r = 0; r < count; ++r) {
    Eigen::VectorXd x = design;
    for (int body = 0; body < kBodies; ++body)
      x.segment(10 * body, 10) += spread * scales[static_cast<std::size_t>(body)] * noise(10, 1);
    for (int k = 0; k < kColumns; ++k) x[10 * kBodies + k] *= 1 + kColumnSpread * normal(random);
    const Eigen::MatrixXd Y = noise(rows, seen) * mixing;
    const Eigen::VectorXd tau = Y * x + 0.1 * noise(rows, 1);
    PopulationRobot robot;
    robot.equations = {.G = 100 * Y.transpose() * Y,
                       .b = 100 * Y.transpose() * tau,
                       .tau2 = 100 * tau.squaredNorm(),
                       .num_rows = static_cast<double>(rows)};
    robot.least_squares = Y.completeOrthogonalDecomposition().solve(tau);
    world.robots.push_back(robot), world.truth.push_back(x);
  }
  return world;
}

Eigen::VectorXd solved(const World& world, const PopulationRobot& robot, const Prior& prior) {
  const auto problem = make_problem(world.model.layout, robot.equations, prior);
  EXPECT_TRUE(problem);
  const auto solution = solve(*problem);
  EXPECT_TRUE(solution);
  return solution->x.head(kSize);
}

/// Squared error of torques.
double error_of(const Eigen::VectorXd& x, const Eigen::VectorXd& truth,
                const PopulationRobot& robot) {
  return (x - truth).dot(robot.equations.G * (x - truth)) / robot.equations.num_rows;
}

TEST(Population, HalvesTheErrorOfShortLogs) {
  World world = a_world(30, 0.02, 24, 18, 1);
  const auto population = Population::learn(world.model, world.robots, 2);
  ASSERT_TRUE(population) << population.error().message();
  double alone = 0, together = 0, with_truth = 0;
  int inside = 0, intervals = 0;
  for (std::size_t r = 0; r < world.robots.size(); ++r) {
    const PopulationPrior learned = population->prior_of(r);
    EXPECT_EQ(learned.num_robots, 29);
    EXPECT_TRUE(learned.released.empty());
    const PopulationRobot& own = world.robots[r];
    const Eigen::VectorXd x =
        solved(world, own, with_population_prior(world.model.prior, learned, own.equations, 1));
    together += error_of(x, world.truth[r], own);
    alone += error_of(solved(world, own, world.model.prior), world.truth[r], own);
    // Bayes with known design and scatter: no estimator has a smaller error on average
    const Eigen::VectorXd known =
        Eigen::MatrixXd(own.equations.G + world.precision)
            .ldlt()
            .solve(Eigen::VectorXd(own.equations.b + world.precision * world.design));
    with_truth += error_of(known, world.truth[r], own);
    for (int k = 0; k < kSize; ++k) {
      if (!(learned.file_share[k] < 0.5)) continue;
      ++intervals;
      inside += std::abs(x[k] - world.truth[r][k]) < 1.96 * learned.standard_error[k];
    }
  }
  EXPECT_LT(with_truth, 0.25 * alone);  // half the error, squared
  EXPECT_LT(together, 1.1 * with_truth);
  EXPECT_GT(intervals, 300);
  EXPECT_GT(inside, 0.93 * intervals);
}

TEST(Population, NoRobotIsItsOwnPrior) {
  const World world = a_world(8, 0.05, 60, 20, 2);
  World changed = world;
  for (PopulationRobot& robot : changed.robots) robot.least_squares = world.robots[0].least_squares;
  World same = changed;
  PopulationRobot& robot = changed.robots[3];
  robot.equations.b *= 3.03, robot.equations.G *= 3,
      robot.equations.tau2 *= 3.06;  // three times the log, of a robot 1 % heavier
  const auto before = Population::learn(same.model, same.robots, 1),
             after = Population::learn(changed.model, changed.robots, 1);
  ASSERT_TRUE(before && after);
  const PopulationPrior own_before = before->prior_of(3), own_after = after->prior_of(3);
  const PopulationPrior other_before = before->prior_of(4), other_after = after->prior_of(4);
  for (std::size_t body = 0; body < kBodies; ++body) {
    ASSERT_TRUE(own_before.bodies[body] && own_after.bodies[body]);
    const auto moved = [&](const PopulationPrior& a, const PopulationPrior& b) {
      return (a.bodies[body]->mean - b.bodies[body]->mean).norm() / a.bodies[body]->mean.norm();
    };
    EXPECT_EQ(moved(own_before, own_after), 0);
    EXPECT_GT(moved(other_before, other_after), 1e-4);
  }
}

TEST(Population, ReleasesAnOutlierWithoutBiasingOthers) {
  World world = a_world(30, 0.02, 60, 18, 3);
  PopulationRobot& stranger = world.robots[5];
  Eigen::VectorXd heavier = Eigen::VectorXd::Zero(kSize);
  heavier.segment(10, 10) = 0.6 * world.truth[5].segment(10, 10);
  stranger.equations.b += stranger.equations.G * heavier;
  const auto population = Population::learn(world.model, world.robots, 2);
  ASSERT_TRUE(population);
  const PopulationPrior prior = population->prior_of(5);
  ASSERT_FALSE(prior.released.empty());
  EXPECT_EQ(prior.released.front().group, "body_1");
  for (std::size_t r = 0; r < world.robots.size(); ++r)
    if (r != 5) {
      EXPECT_TRUE(population->prior_of(r).released.empty()) << r;
    }
  // the prior that others get is that of a population without it
  World without = world;
  without.robots.erase(without.robots.begin() + 5);
  const auto rest = Population::learn(without.model, without.robots, 2);
  ASSERT_TRUE(rest);
  EXPECT_LT((population->prior_of(0).bodies[1]->mean - rest->prior_of(0).bodies[1]->mean).norm(),
            0.01 * population->prior_of(0).bodies[1]->mean.norm());
  // its fault shows in the other body's rows as well, which is judged with this one free
  EXPECT_EQ(prior.released.size(), 1u);
  // its answer is that of a robot alone, in the other body, too
  EXPECT_TRUE(prior.is_of_a_stranger());
  for (const auto& body : prior.bodies) EXPECT_FALSE(body);
  for (const auto& column : prior.columns) EXPECT_FALSE(column);
}

TEST(Population, OutliersDoNotCauseTheReleaseOfOthers) {
  for (const unsigned seed : {11u, 12u, 13u, 14u}) {
    World world = a_world(40, 0.02, 60, 18, seed);
    const std::vector<std::size_t> strangers = {3, 9, 17, 22, 31};
    for (const std::size_t r : strangers) {
      Eigen::VectorXd heavier = Eigen::VectorXd::Zero(kSize);
      heavier.segment(10, 10) = 3 * world.truth[r].segment(10, 10);
      world.robots[r].equations.b += world.robots[r].equations.G * heavier;
    }
    const auto population = Population::learn(world.model, world.robots, 2);
    ASSERT_TRUE(population);
    for (std::size_t r = 0; r < world.robots.size(); ++r)
      EXPECT_EQ(population->prior_of(r).is_of_a_stranger(),
                std::find(strangers.begin(), strangers.end(), r) != strangers.end())
          << r << " of " << seed;
  }
}

TEST(Population, RefusesTooFewAndNonfiniteMoments) {
  World world = a_world(3, 0.02, 60, 18, 4);
  EXPECT_FALSE(Population::learn(world.model, world.robots, 1));
  world = a_world(5, 0.02, 60, 18, 4);
  const auto population = Population::learn(world.model, world.robots, 1);
  ASSERT_TRUE(population);
  PopulationRobot other = world.robots[2];
  EXPECT_TRUE(population->prior_of(other).ok());
  other.equations.b[0] = std::nan("");
  EXPECT_FALSE(population->prior_of(other).ok());
  other = world.robots[2];
  other.equations.G.conservativeResize(kSize - 1, kSize - 1);
  EXPECT_FALSE(population->prior_of(other).ok());
  world.robots[2].equations.b[0] = std::nan("");
  EXPECT_FALSE(Population::learn(world.model, world.robots, 1));
}

TEST(WithPopulationPrior, MinimizesDataAndDistanceFromTheMean) {
  // where no constraint acts, the optimum is that of normal equations written out
  const World world = a_world(6, 0.02, 400, 22, 5, 0.02);
  const auto population = Population::learn(world.model, world.robots, 1);
  ASSERT_TRUE(population);
  const double kappa = 3;
  const PopulationRobot& own = world.robots[0];
  const PopulationPrior learned = population->prior_of(0);
  Prior prior = with_population_prior(world.model.prior, learned, own.equations, kappa);
  prior.ridge = 0;
  prior.share.assign(kBodies, 1e-12);  // the file's own share is another matter
  const Eigen::VectorXd x = solved(world, own, prior);
  Eigen::MatrixXd A = own.equations.G / kappa;
  Eigen::VectorXd a = own.equations.b / kappa;
  for (int body = 0; body < kBodies; ++body) {
    const auto& mean = *learned.bodies[static_cast<std::size_t>(body)];
    const Eigen::MatrixXd inverse =
        body_scale(prior.references[static_cast<std::size_t>(body)]).inverse();
    const Eigen::MatrixXd W = inverse.transpose() * inverse / (mean.deviation * mean.deviation);
    A.block(10 * body, 10 * body, 10, 10) += W;
    a.segment(10 * body, 10) += W * mean.mean;
  }
  for (int k = 0; k < kColumns; ++k) {
    const auto& [value, deviation] = *learned.columns[static_cast<std::size_t>(k)];
    A(20 + k, 20 + k) += 1 / (deviation * deviation), a[20 + k] += value / (deviation * deviation);
  }
  const Eigen::VectorXd expected = A.ldlt().solve(a);
  EXPECT_LT((x - expected).norm(), 1e-6 * expected.norm());
}

TEST(MostWeights, AreFourTimesThePopulationMedianChannelByChannel) {
  std::vector<Eigen::VectorXd> weights;
  for (const double noise : {0.2, 0.001, 0.1, 0.4, 0.3})
    weights.push_back(Eigen::Vector2d(1 / (noise * noise), noise));
  const Eigen::VectorXd most = most_weights(weights);
  EXPECT_NEAR(most[0], 1 / (0.1 * 0.1), 1e-9);  // half of 0.2, whatever the quietest says
  EXPECT_NEAR(most[1], 4 * 0.2, 1e-12);
}

TEST(PooledRowsWorthOne, IsTheInflationOfScores) {
  // every row of noise stands `repeat` times: rows look like repeat times as many
  std::mt19937 random(6);
  std::normal_distribution<double> normal;
  constexpr int kRobots = 40, kBlocks = 8, kRows = 50, kRepeat = 5, kParameters = 6;
  std::vector<std::vector<NormalEquations>> fleet;
  for (int robot = 0; robot < kRobots; ++robot) {
    fleet.emplace_back();
    for (int b = 0; b < kBlocks; ++b) {
      const Eigen::MatrixXd Y =
          Eigen::MatrixXd::NullaryExpr(kRows, kParameters, [&] { return normal(random); });
      const Eigen::VectorXd tau =
          Eigen::VectorXd::NullaryExpr(kRows, [&] { return normal(random); });
      fleet.back().push_back({.G = kRepeat * Y.transpose() * Y,
                              .b = kRepeat * Y.transpose() * tau,
                              .tau2 = kRepeat * tau.squaredNorm(),
                              .num_rows = kRepeat * kRows});
    }
  }
  // chi-squared of 40 x 6 x 7 degrees of freedom
  EXPECT_NEAR(pooled_rows_worth_one(fleet), kRepeat,
              4 * kRepeat * std::sqrt(2.0 / (kRobots * 6 * 7)));
  EXPECT_EQ(pooled_rows_worth_one({}), 1);
}

}  // namespace
}  // namespace heft
