// Intervals of functions of all bodies, on draws of robot files and sensor errors whose estimates
// are computed here from their definition.
#include "uncertainty/prior_of_whole.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "linalg/factorizations.hpp"
#include "tests/oracle/motion.hpp"
#include "tests/oracle/random_robot.hpp"
#include "uncertainty/quantiles.hpp"

namespace heft {
namespace {

constexpr double kRidge = 1e-3;

std::vector<Column> sensor_columns() {
  std::vector<Column> columns(4);
  for (int k = 0; k < 3; ++k) {
    columns[k].name = std::string("base accel bias ") + "xyz"[k];
    columns[k].definition = columns[k].name + " of the IMU at base\n";
    columns[k].unit = "m/s^2";
  }
  columns[3].name = "viscous joint";
  columns[3].unit = "N m s/rad";
  return columns;
}

/// Covariance of the ten parameters of a body for a unit covariance of L^-1 dJ L^-T, J = L L'.
Eigen::MatrixXd metric_root(const Eigen::Matrix4d& J) {
  const Eigen::Matrix4d L = J.llt().matrixL();
  Eigen::MatrixXd root(10, 10);
  int column = 0;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j <= i; ++j) {
      Eigen::Matrix4d unit = Eigen::Matrix4d::Zero();
      unit(i, j) = unit(j, i) = i == j ? 1 : std::sqrt(0.5);
      root.col(column++) = body_parameters(Eigen::Matrix4d(L * unit * L.transpose()));
    }
  return root;
}

/// A robot of four bodies and four columns, with data that determine half of the directions well
/// and the rest by little or not at all.
struct Problem {
  ParameterLayout layout;
  Prior prior;
  NormalEquations equations;
  Eigen::MatrixXd W;
  Eigen::VectorXd x0;
  std::vector<Eigen::MatrixXd> roots;  // of the file's errors, body by body

  explicit Problem(oracle::Random& random, double seen_bias) {
    oracle::RandomRobotOptions options;
    options.min_bodies = options.max_bodies = 4;
    const Robot robot = oracle::random_robot(options, 5);
    layout = make_parameter_layout(robot, sensor_columns());
    prior = *make_prior(layout, robot, {.weight = 0.01, .ridge = kRidge});
    const int P = layout.num_parameters(), first = layout.column_index(0);
    W = Eigen::MatrixXd::Zero(P, P);
    x0 = Eigen::VectorXd::Zero(P);
    Eigen::MatrixXd U = Eigen::MatrixXd::Identity(P, P);
    for (int b = 0; b < layout.num_bodies(); ++b) {
      const Eigen::MatrixXd root = metric_root(pseudo_inertia(prior.references[b]));
      const Eigen::MatrixXd inverse = root.inverse();
      W.block<10, 10>(10 * b, 10 * b) = prior.weight * inverse.transpose() * inverse;
      U.block<10, 10>(10 * b, 10 * b) = inverse;
      x0.segment<10>(10 * b) = prior.references[b];
      roots.push_back(root);
    }
    // directions of very different information, as motions have them
    Eigen::MatrixXd Y(P, P);
    for (Eigen::Index i = 0; i < P; ++i)
      Y.row(i) = std::pow(10, random.uniform(-2.5, 1)) * random.normal_vector(P).transpose() / 5;
    Y.middleCols(first, 3) *= seen_bias;
    Y = (Y * U).eval();
    equations = {Y.transpose() * Y, Eigen::VectorXd::Zero(P), 1, 1};
    for (int k = 0; k < layout.num_columns(); ++k)
      W(first + k, first + k) = kRidge * equations.G(first + k, first + k);
  }
};

/// Share of intervals that hold the truth of functions over draws of errors of the file, of size
/// `of_metric`, sensor errors and noise.
double coverage(const Problem& problem, oracle::Random& random, const Eigen::MatrixXd& rows,
                double of_metric, double noise) {
  const int P = problem.layout.num_parameters(), first = problem.layout.column_index(0);
  const Eigen::MatrixXd H = problem.equations.G + problem.W, inverse = H.inverse();
  const Eigen::MatrixXd data_root =
      Eigen::MatrixXd(problem.equations.G + 1e-12 * Eigen::MatrixXd::Identity(P, P))
          .llt()
          .matrixL();
  double held = 0, count = 0;
  for (int draw = 0; draw < 400; ++draw) {
    Eigen::VectorXd truth = problem.x0;
    for (int b = 0; b < problem.layout.num_bodies(); ++b)
      truth.segment<10>(10 * b) += of_metric * problem.roots[b] * random.normal_vector(10);
    truth.segment<3>(first) = SensorErrors::kAccelerometer * random.normal_vector(3);
    const Eigen::VectorXd score =
        problem.equations.G * truth + std::sqrt(noise) * data_root * random.normal_vector(P);
    const Eigen::VectorXd x = inverse * (score + problem.W * problem.x0);
    const auto found =
        prior_of_whole(problem.layout, problem.equations, problem.prior, x, noise, rows);
    EXPECT_TRUE(found.ok());
    const Eigen::MatrixXd gain = rows * inverse;
    for (Eigen::Index k = 0; k < rows.rows(); ++k) {
      const double by_noise =
          noise * gain.row(k).dot(problem.equations.G * gain.row(k).transpose());
      const double half = student_quantile(0.975, found->degrees) *
                          std::hypot(found->deviations[k], std::sqrt(by_noise));
      held += std::abs(rows.row(k).dot(x - truth)) <= half ? 1 : 0;
      ++count;
    }
  }
  return held / count;
}

/// The mass and the first moment of all bodies, whose axes are parallel.
Eigen::MatrixXd sums(const ParameterLayout& layout) {
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(4, layout.num_parameters());
  for (int b = 0; b < layout.num_bodies(); ++b) rows.block<4, 4>(0, 10 * b).setIdentity();
  return rows;
}

TEST(PriorOfWhole, HoldsTheTruthAsOftenAsClaimed) {
  oracle::Random random(11);
  for (const double seen_bias : {1.0, 5.0}) {
    const Problem problem(random, seen_bias);
    const double share = coverage(problem, random, sums(problem.layout), 0.1, 1e-4);
    EXPECT_GE(share, 0.93) << seen_bias;
    EXPECT_LE(share, 0.98) << seen_bias;
  }
}

// A bias that the data do not determine moves the estimate by as much as it is stated to be.
TEST(PriorOfWhole, IncludesSensorErrorsThatTheDataDoNotDetermine) {
  oracle::Random random(13);
  Problem problem(random, 1);
  const int P = problem.layout.num_parameters(), first = problem.layout.column_index(0);
  // the accelerometer's bias along z and the mass of all bodies only show in their sum
  const Eigen::RowVectorXd mass = sums(problem.layout).row(0);
  Eigen::MatrixXd Y = Eigen::MatrixXd::Zero(1, P);
  Y.row(0) = 100 * (9.81 * mass + 3 * Eigen::RowVectorXd::Unit(P, first + 2));
  problem.equations.G = Y.transpose() * Y;
  const auto found =
      prior_of_whole(problem.layout, problem.equations, problem.prior, problem.x0, 1e-6, mass);
  ASSERT_TRUE(found.ok()) << found.error().message();
  EXPECT_GT(found->deviations[0], 0.7 * 3 * SensorErrors::kAccelerometer / 9.81);
  EXPECT_LT(found->deviations[0], 1.5 * 3 * SensorErrors::kAccelerometer / 9.81);
}

TEST(PriorOfWhole, KnowsSensorErrorsByTheirColumns) {
  const std::vector<Column> columns = sensor_columns();
  EXPECT_EQ(stated_sensor_error(columns[2]), SensorErrors::kAccelerometer);
  EXPECT_FALSE(stated_sensor_error(columns[3]));
  Column torque;
  torque.definition = "bias of wrench component left_nx at left_foot\n", torque.unit = "N m";
  EXPECT_EQ(stated_sensor_error(torque), SensorErrors::kTorque);
}

}  // namespace
}  // namespace heft
