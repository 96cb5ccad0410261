// The effect of an error of the prior on the result: the reported standard deviation compared with
// draws of wrong priors whose results are known.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "heft/uncertainty/uncertainty.hpp"
#include "linalg/factorizations.hpp"
#include "tests/oracle/motion.hpp"
#include "tests/oracle/random_robot.hpp"
#include "uncertainty/quantiles.hpp"

namespace heft {
namespace {

/// |L^-1 J L^-T - 1|^2 of a body, J0 = L L', from its definition.
double metric_distance(const BodyParameters& parameters, const BodyParameters& reference) {
  const Eigen::Matrix4d L = pseudo_inertia(reference).llt().matrixL();
  const Eigen::Matrix4d L_inverse = L.inverse();
  return (L_inverse * pseudo_inertia(parameters) * L_inverse.transpose() -
          Eigen::Matrix4d::Identity())
      .squaredNorm();
}

/// Its Hessian over two, by polarisation: the distance is quadratic.
Eigen::MatrixXd metric_hessian(const BodyParameters& reference) {
  Eigen::MatrixXd W(10, 10);
  for (int i = 0; i < 10; ++i)
    for (int j = 0; j < 10; ++j) {
      const BodyParameters u = BodyParameters::Unit(i), v = BodyParameters::Unit(j);
      W(i, j) = 0.25 * (metric_distance(reference + u + v, reference) -
                        metric_distance(reference + u - v, reference));
    }
  return W;
}

// On average it is at most half as large again.
TEST(PriorError, CoversTheSpreadThatWrongPriorsLeave) {
  oracle::RandomRobotOptions options;
  options.min_bodies = options.max_bodies = 4;
  const Robot robot = oracle::random_robot(options, 5);
  const ParameterLayout layout = make_parameter_layout(robot, {});
  const auto prior = make_prior(layout, robot, {.weight = 0.02});
  ASSERT_TRUE(prior.ok()) << prior.error().message();
  const int P = layout.num_parameters();
  oracle::Random random(7);

  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(P, P);
  Eigen::VectorXd x0(P);
  for (int b = 0; b < layout.num_bodies(); ++b) {
    W.block<10, 10>(10 * b, 10 * b) = prior->weight * metric_hessian(prior->references[b]);
    x0.segment<10>(10 * b) = prior->references[b];
  }
  // data that see two thirds of the directions, in units of the prior about as well as it does
  const Eigen::LLT<Eigen::MatrixXd> factor(W);
  const Eigen::MatrixXd U = factor.matrixU();
  Eigen::MatrixXd Y(2 * P / 3, P);
  for (Eigen::Index i = 0; i < Y.rows(); ++i) Y.row(i) = random.normal_vector(P).transpose();
  Y = (Y * U / std::sqrt(P)).eval();
  NormalEquations equations{Y.transpose() * Y, Eigen::VectorXd::Zero(P), 1, 1};

  const int num_draws = 2000;
  Eigen::ArrayXd error2 = Eigen::ArrayXd::Zero(P), pull2 = Eigen::ArrayXd::Zero(P);
  for (int draw = 0; draw < num_draws; ++draw) {
    const Eigen::VectorXd truth =
        x0 + 0.1 * U.triangularView<Eigen::Upper>().solve(random.normal_vector(P));
    const Eigen::VectorXd x =
        Eigen::MatrixXd(equations.G + W).llt().solve(equations.G * truth + W * x0);
    error2 += (x - truth).array().square();
    const auto error = prior_error(layout, equations, *prior, x, 0);
    ASSERT_TRUE(error.ok()) << error.error().message();
    pull2 += error->deviation.array().square();
    EXPECT_GT(error->degrees, 1);
  }
  // the mean of n squares of a normal number is off by sqrt(2 / n): five of these
  const double tolerance = 5 * std::sqrt(2.0 / num_draws);
  for (int k = 0; k < P; ++k) {
    EXPECT_GE(pull2[k] / error2[k], 1 - tolerance) << layout.name(k);
    EXPECT_LE(pull2[k] / error2[k], 1.5 + tolerance) << layout.name(k);
  }
}

/// A body of a robot file that is wrong: its pseudo-inertia J = L L' with L (1 + size N / 2)
/// instead of L, N of normal numbers up to 1.5.
BodyParameters wrong_body(const BodyParameters& parameters, double size, oracle::Random& random) {
  Eigen::Matrix4d change = Eigen::Matrix4d::Identity();
  for (int k = 0; k < 16; ++k)
    change(k / 4, k % 4) += 0.5 * size * std::clamp(random.normal(), -1.5, 1.5);
  const Eigen::Matrix4d root = Eigen::Matrix4d(pseudo_inertia(parameters).llt().matrixL()) * change;
  const Eigen::Matrix4d J = root * root.transpose();
  return body_parameters(J);
}

// Robot files half of whose bodies are about 50 % off, the others 25 %, and that are far from
// quadratic: intervals of the parameters that data and prior determine in equal parts.
TEST(PriorError, IntervalsHoldWithAPriorThatIsHalfOff) {
  oracle::RandomRobotOptions options;
  options.min_bodies = options.max_bodies = 6;
  const Robot robot = oracle::random_robot(options, 5);
  const ParameterLayout layout = make_parameter_layout(robot, {});
  const int P = layout.num_parameters(), num_draws = 200;
  const Eigen::VectorXd truth = oracle::stacked_parameters(robot);
  double held = 0;
  Eigen::ArrayXd error2 = Eigen::ArrayXd::Zero(P), deviation2 = Eigen::ArrayXd::Zero(P);
  for (int draw = 0; draw < num_draws; ++draw) {
    oracle::Random random(draw);
    Robot file = robot;
    int number = 0;
    for (Body& body : file.bodies)
      body.prior = wrong_body(body.prior, ++number % 2 == 0 ? 0.5 : 0.25, random);
    const auto prior = make_prior(layout, file, {.weight = 0.02});
    ASSERT_TRUE(prior.ok()) << prior.error().message();
    Eigen::MatrixXd W = Eigen::MatrixXd::Zero(P, P);
    Eigen::VectorXd x0(P);
    for (int b = 0; b < layout.num_bodies(); ++b) {
      W.block<10, 10>(10 * b, 10 * b) = prior->weight * metric_hessian(prior->references[b]);
      x0.segment<10>(10 * b) = prior->references[b];
    }
    const Eigen::MatrixXd U = Eigen::LLT<Eigen::MatrixXd>(W).matrixU();
    Eigen::MatrixXd Y(2 * P / 3, P);
    for (Eigen::Index i = 0; i < Y.rows(); ++i) Y.row(i) = random.normal_vector(P).transpose();
    Y = (Y * U / std::sqrt(P)).eval();
    const NormalEquations equations{Y.transpose() * Y, Eigen::VectorXd::Zero(P), 1, 1};
    const Eigen::VectorXd x =
        Eigen::MatrixXd(equations.G + W).llt().solve(equations.G * truth + W * x0);
    const auto error = prior_error(layout, equations, *prior, x, 0);
    ASSERT_TRUE(error.ok()) << error.error().message();
    error2 += (x - truth).array().square();
    deviation2 += error->deviation.array().square();
    const double quantile = student_quantile(0.975, error->degrees);
    held +=
        ((x - truth).array().abs() <= quantile * error->deviation.array()).cast<double>().mean() /
        num_draws;
  }
  EXPECT_GE(held, 0.92);
  // so wrong a file makes intervals wider than needed, but not by orders of magnitude
  EXPECT_LE((deviation2 / error2).maxCoeff<Eigen::PropagateNaN>(), 10);
}

// An offset that the data can hardly tell from a mass, as on a vertical slide: its ridge shrinks it
// and moves the bodies, by more than the small offset that is left of it shows.
TEST(PriorError, KnowsTheSizeOfColumnsThatTheRidgeShrank) {
  oracle::RandomRobotOptions options;
  options.min_bodies = options.max_bodies = 2;
  const Robot robot = oracle::random_robot(options, 11);
  const Column offset{.name = "offset slide", .kind = "offset", .unit = "N", .terms = {{}}};
  const ParameterLayout layout = make_parameter_layout(robot, {offset});
  const auto prior = make_prior(layout, robot, {.weight = 1e-9});
  ASSERT_TRUE(prior.ok()) << prior.error().message();
  const int P = layout.num_parameters(), column = layout.column_index(0), num_rows = 1000;
  for (const double told_apart : {0.01, 0.03, 0.1, 1.0}) {
    oracle::Random random(12);
    Eigen::MatrixXd Y(num_rows, P);
    for (Eigen::Index i = 0; i < Y.rows(); ++i) Y.row(i) = random.normal_vector(P).transpose();
    Y.col(column) = Y.col(0) + told_apart * Y.col(column);
    const NormalEquations equations{Y.transpose() * Y, Eigen::VectorXd::Zero(P), 1, num_rows};
    // bodies as in the file, so that only the ridge moves the estimate
    Eigen::VectorXd truth = Eigen::VectorXd::Zero(P);
    truth.head(column) = oracle::stacked_parameters(robot);
    truth[column] = 20;
    Eigen::MatrixXd W = Eigen::MatrixXd::Zero(P, P);
    Eigen::VectorXd x0 = Eigen::VectorXd::Zero(P);
    for (int b = 0; b < layout.num_bodies(); ++b) {
      W.block<10, 10>(10 * b, 10 * b) = prior->weight * metric_hessian(prior->references[b]);
      x0.segment<10>(10 * b) = prior->references[b];
    }
    W(column, column) = prior->ridge * equations.G(column, column) / num_rows;
    const Eigen::VectorXd x = Eigen::MatrixXd(equations.G / num_rows + W)
                                  .llt()
                                  .solve(equations.G / num_rows * truth + W * x0);
    const double noise = 1e-6;  // rows worth one
    const auto error = prior_error(layout, equations, *prior, x, noise);
    ASSERT_TRUE(error.ok()) << error.error().message();
    for (const int k : {0, column}) {
      const double shift = std::abs(x[k] - truth[k]);
      EXPECT_GE(error->deviation[k], 0.99 * shift) << layout.name(k) << " " << told_apart;
      EXPECT_LE(error->deviation[k], 1.5 * shift) << layout.name(k) << " " << told_apart;
    }
  }
}

// The change of the estimate by a change of the scores, against solving again.
TEST(PriorError, ScoresMoveTheEstimate) {
  oracle::RandomRobotOptions options;
  options.min_bodies = options.max_bodies = 3;
  const Robot robot = oracle::random_robot(options, 8);
  const ParameterLayout layout = make_parameter_layout(robot, {});
  const auto prior = make_prior(layout, robot, {.weight = 0.02});
  ASSERT_TRUE(prior.ok()) << prior.error().message();
  const int P = layout.num_parameters(), num_rows = 50;
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(P, P);
  for (int b = 0; b < layout.num_bodies(); ++b)
    W.block<10, 10>(10 * b, 10 * b) = prior->weight * metric_hessian(prior->references[b]);
  oracle::Random random(9);
  Eigen::MatrixXd Y(num_rows, P);
  for (Eigen::Index i = 0; i < Y.rows(); ++i) Y.row(i) = random.normal_vector(P).transpose();
  const NormalEquations equations{Y.transpose() * Y, Eigen::VectorXd::Zero(P), 1, num_rows};
  const auto error = prior_error(layout, equations, *prior, oracle::stacked_parameters(robot), 1);
  ASSERT_TRUE(error.ok()) << error.error().message();
  const Eigen::VectorXd change = random.normal_vector(P);
  const Eigen::VectorXd moved =
      Eigen::MatrixXd(equations.G / num_rows + W).llt().solve(change / num_rows);
  EXPECT_LE((error->per_score * change - moved).norm(), 1e-8 * moved.norm());
}

TEST(PriorError, IsNothingWithoutAPrior) {
  const Robot robot = oracle::random_robot({}, 6);
  const ParameterLayout layout = make_parameter_layout(robot, {});
  const int P = layout.num_parameters();
  const auto prior = make_prior(layout, robot, {.kind = PriorKind::none});
  ASSERT_TRUE(prior.ok());
  const NormalEquations equations{Eigen::MatrixXd::Identity(P, P), Eigen::VectorXd::Zero(P), 1, 1};
  const auto error = prior_error(layout, equations, *prior, Eigen::VectorXd::Ones(P), 1);
  ASSERT_TRUE(error.ok());
  EXPECT_TRUE(error->deviation.isZero(0));
  EXPECT_TRUE(error->per_score.isZero(0));
}

}  // namespace
}  // namespace heft
