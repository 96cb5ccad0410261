// Information of motions: x'Gx is the sum of squared torques that a robot with parameters x needs,
// here from Newton's and Euler's equations in long double along de Boor's splines and textbook
// series.
#include "heft/moments/moments.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "heft/executor/executor.hpp"
#include "heft/model/robot.hpp"
#include "tests/oracle/newton_euler.hpp"
#include "tests/oracle/random_robot.hpp"
#include "tests/oracle/spline.hpp"

namespace heft {
namespace {

constexpr int kSamples = 57;
constexpr double kStep = 0.02, kInterval = 0.31;

Eigen::MatrixXd random_matrix(int rows, int columns, oracle::Random& random) {
  Eigen::MatrixXd matrix(rows, columns);
  for (double& x : matrix.reshaped()) x = 0.5 * random.normal();
  return matrix;
}

SplineMotion spline(int num_coordinates, oracle::Random& random) {
  return {.interval = kInterval,
          .step = kStep,
          .num_samples = kSamples,
          .control = random_matrix(9, num_coordinates, random)};
}

FourierMotion series(int num_coordinates, oracle::Random& random) {
  return {.frequency = 1.3,
          .step = kStep,
          .num_samples = kSamples,
          .center = random_matrix(num_coordinates, 1, random),
          .sine = random_matrix(3, num_coordinates, random),
          .cosine = random_matrix(3, num_coordinates, random)};
}

oracle::Motion at(const Robot& robot, const SplineMotion& motion, long double t) {
  const int n = robot.num_coordinates();
  Eigen::VectorXd q(n), qd(n), qdd(n);
  for (int k = 0; k < n; ++k) {
    const oracle::Spline position = oracle::uniform_spline(
        5, motion.interval, {motion.control.col(k).begin(), motion.control.col(k).end()});
    q[k] = static_cast<double>(position.value(t));
    qd[k] = static_cast<double>(position.derivative().value(t));
    qdd[k] = static_cast<double>(position.derivative().derivative().value(t));
  }
  return oracle::motion_on_standing_base(robot, q, qd, qdd);
}

oracle::Motion at(const Robot& robot, const FourierMotion& motion, long double t) {
  const Eigen::Index n = motion.center.size();
  Eigen::VectorXd q = motion.center, qd = Eigen::VectorXd::Zero(n), qdd = Eigen::VectorXd::Zero(n);
  for (Eigen::Index h = 0; h < motion.sine.rows(); ++h) {
    const double w = static_cast<double>(h + 1) * motion.frequency,
                 angle = static_cast<double>(w * t);
    const Eigen::VectorXd a = motion.sine.row(h), b = motion.cosine.row(h);
    q += a * std::sin(angle) + b * std::cos(angle);
    qd += w * (a * std::cos(angle) - b * std::sin(angle));
    qdd -= w * w * (a * std::sin(angle) + b * std::cos(angle));
  }
  return oracle::motion_on_standing_base(robot, q, qd, qdd);
}

double squared_torques(const Robot& robot, const GeneratedMotion& motion,
                       const Eigen::VectorXd& weights, const Eigen::VectorXd& parameters) {
  double sum = 0;
  for (int i = 0; i < kSamples; ++i) {
    const oracle::Motion state = std::visit(
        [&](const auto& kind) { return at(robot, kind, i * static_cast<long double>(kStep)); },
        motion);
    const Eigen::VectorXd torque = oracle::newton_euler_regressor(robot, state) * parameters;
    sum += torque.cwiseAbs2().dot(weights);
  }
  return sum;
}

struct Study {
  Robot robot;
  PlanPtr plan;
  std::vector<GeneratedMotion> motions;
  Eigen::VectorXd weights;

  explicit Study(std::uint64_t seed)
      : robot(oracle::random_robot({.min_bodies = 3}, seed)),
        plan(*make_regressor_plan(robot, default_channels(robot), {})) {
    oracle::Random random(seed);
    for (int i = 0; i < 3; ++i) {
      motions.emplace_back(spline(robot.num_coordinates(), random));
      motions.emplace_back(series(robot.num_coordinates(), random));
    }
    weights = random.normal_vector(plan->num_channels()).cwiseAbs();
  }
};

TEST(Information, MatchesTheTorquesOfAnyParameters) {
  const auto backend = make_backend({.kind = BackendKind::cpu, .threads = 1});
  ASSERT_TRUE(backend.ok());
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Study study(seed);
    oracle::Random random(seed + 100);
    for (const auto& [precision, tolerance] :
         {std::pair{core::Precision::fp64, 1e-12}, std::pair{core::Precision::fp32, 1e-5}}) {
      const auto found = information(**backend, study.plan, study.motions,
                                     {.channel_weights = study.weights, .precision = precision});
      ASSERT_TRUE(found.ok()) << found.error().message();
      ASSERT_EQ(found->size(), study.motions.size());
      for (std::size_t i = 0; i < found->size(); ++i) {
        const Eigen::VectorXd x = random.normal_vector(oracle::num_columns(study.robot));
        const Eigen::MatrixXd& G = (*found)[i];
        EXPECT_EQ(G, G.transpose());
        const double size = G.norm() * x.squaredNorm();
        EXPECT_NEAR(x.dot(G * x), squared_torques(study.robot, study.motions[i], study.weights, x),
                    tolerance * size);
        EXPECT_GT(x.dot(G * x), 0);
      }
    }
  }
}

TEST(Information, OfAMotionDependsOnNoOther) {
  const auto backend = make_backend({.kind = BackendKind::cpu, .threads = 2});
  ASSERT_TRUE(backend.ok());
  const Study study(4);
  const auto all = information(**backend, study.plan, study.motions);
  ASSERT_TRUE(all.ok()) << all.error().message();
  for (std::size_t i = 0; i < study.motions.size(); ++i) {
    const auto alone = information(**backend, study.plan, std::span(study.motions).subspan(i, 1));
    ASSERT_TRUE(alone.ok());
    EXPECT_EQ(alone->front(), (*all)[i]);
  }
}

/// Of a robot of which 52 chunks, 8 MB, fill a call: after 51 motions of a chunk each, one of three
/// lies in two calls.
TEST(Information, OfALongMotionIsTheSumOfItsCalls) {
  const auto backend = make_backend({.kind = BackendKind::cpu, .threads = 2});
  ASSERT_TRUE(backend.ok());
  const Robot robot = oracle::random_robot({.min_bodies = 30, .max_bodies = 30}, 8);
  const PlanPtr plan = *make_regressor_plan(robot, default_channels(robot), {});
  oracle::Random random(8);
  const AccumulateOptions summed{.channel_weights = Eigen::VectorXd::Ones(plan->num_channels())};
  ASSERT_EQ((1 << 20) / packed_size(*plan, summed), 52);
  std::vector<GeneratedMotion> motions(51, series(robot.num_coordinates(), random));
  FourierMotion lasting = series(robot.num_coordinates(), random);
  lasting.num_samples = 3 * core::kChunkSamples - 5;
  lasting.step = 1e-3;
  motions.emplace_back(lasting);
  const auto all = information(**backend, plan, motions);
  const auto alone = information(**backend, plan, std::span(motions).last(1));
  ASSERT_TRUE(all.ok() && alone.ok());
  EXPECT_EQ(all->back(), alone->front());
  EXPECT_EQ(all->front(), (*all)[50]);

  const Eigen::VectorXd x = random.normal_vector(oracle::num_columns(robot));
  double sum = 0;
  for (std::int64_t i = 0; i < lasting.num_samples; ++i)
    sum += (oracle::newton_euler_regressor(
                robot, at(robot, lasting, i * static_cast<long double>(lasting.step))) *
            x)
               .squaredNorm();
  EXPECT_NEAR(x.dot(all->back() * x), sum, 1e-11 * all->back().norm() * x.squaredNorm());
}

TEST(Information, IsZeroWithoutSamples) {
  const auto backend = make_backend({.kind = BackendKind::cpu, .threads = 1});
  ASSERT_TRUE(backend.ok());
  const Study study(7);
  FourierMotion none = std::get<FourierMotion>(study.motions[1]);
  none.num_samples = 0;
  const auto found =
      information(**backend, study.plan, std::vector<GeneratedMotion>{none, study.motions[1]});
  ASSERT_TRUE(found.ok()) << found.error().message();
  EXPECT_TRUE(found->front().isZero(0));
  EXPECT_GT(found->back().norm(), 0);
}

TEST(Information, RefusesInvalidWeights) {
  const auto backend = make_backend({.kind = BackendKind::cpu, .threads = 1});
  ASSERT_TRUE(backend.ok());
  const Study study(5);
  const int n = study.plan->num_channels();
  const auto refusal = [&](const Eigen::VectorXd& weights) {
    const auto found =
        information(**backend, study.plan, study.motions, {.channel_weights = weights});
    return found.ok() ? "" : found.error().what;
  };
  EXPECT_EQ(refusal(Eigen::VectorXd::Ones(n + 1)),
            std::to_string(n + 1) + " weights for " + std::to_string(n) + " channels");
  EXPECT_EQ(refusal(Eigen::VectorXd::Constant(n, -1)), "one of them is negative or not finite");
  EXPECT_EQ(refusal(Eigen::VectorXd::Constant(n, NAN)), "one of them is negative or not finite");
}

TEST(Information, EndsWhenItIsStopped) {
  const auto backend = make_backend({.kind = BackendKind::cpu, .threads = 1});
  ASSERT_TRUE(backend.ok());
  const Study study(6);
  const auto found = information(**backend, study.plan, study.motions, {},
                                 [](const std::string&, double) { return false; });
  ASSERT_FALSE(found.ok());
  EXPECT_TRUE(found.error().is_stop);
}

}  // namespace
}  // namespace heft
