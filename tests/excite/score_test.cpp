// Scores of batches: the value compared with log det of dense rows from the oracle's regressor, the
// gradient with differences, extremes with a spline of truncated powers; the same numbers for any
// number of threads and any order.
#include "heft/excite/design.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "branched.hpp"
#include "heft/core/inertia.hpp"
#include "linalg/factorizations.hpp"
#include "tests/oracle/newton_euler.hpp"

namespace heft {
namespace {

using Eigen::ArrayXXd;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kFrictionWidth = 0.08;

ExciteOptions options_for(const MotionShape& shape) {
  ExciteOptions options;
  options.shape = shape;
  options.limits.torque_deviations = 0;
  for (const char* joint : {"ja", "jb", "jc", "jd"}) {
    options.beliefs.noise[joint] = 0.4;
    options.beliefs.viscous[joint] = 0.7;
    options.beliefs.coulomb[joint] = 1.1;
    options.beliefs.rotor[joint] = 0.2;
  }
  options.beliefs.columns = {{.kind = "viscous"},
                             {.kind = "coulomb", .tanh_width = kFrictionWidth},
                             {.kind = "reflected_inertia"}};
  return options;
}

const MotionShape kShape{.kind = ExcitationMotion::spline, .duration = 4, .intervals = 8};

MatrixXd random_coefficients(const ScoredRobot& robot, oracle::Random& random) {
  return MatrixXd::NullaryExpr(robot.shape().num_coefficients(), robot.num_coordinates(),
                               [&] { return 0.4 * random.normal(); });
}

/// The quintic B-spline on 0 .. 6, or a derivative, as a sum of truncated powers.
double cardinal_spline(double u, int order) {
  static constexpr double kBinomial[] = {1, 6, 15, 20, 15, 6, 1};
  double factorial = 1, sum = 0;
  for (int k = 2; k <= 5 - order; ++k) factorial *= k;
  for (int i = 0; i <= 6; ++i)
    if (u > i) sum += (i % 2 == 0 ? 1 : -1) * kBinomial[i] * std::pow(u - i, 5 - order);
  return sum / factorial;
}

/// Derivative of all coordinates at a time; the first and the last five control points are equal.
VectorXd spline_at(const MatrixXd& C, const MotionShape& shape, double time, int order) {
  VectorXd value = VectorXd::Zero(C.cols());
  const double u = time / shape.interval();
  for (int i = 0; i < shape.intervals + 5; ++i) {
    const int of = std::clamp(i - 4, 0, static_cast<int>(C.rows()) - 1);
    value += std::pow(shape.interval(), -order) * cardinal_spline(u - i + 5, order) *
             C.row(of).transpose();
  }
  return value;
}

/// Rows of all channels in all parameters: ten a body, then viscous, coulomb and rotor of every
/// joint.
MatrixXd dense_rows(const Robot& robot, const VectorXd& q, const VectorXd& qd,
                    const VectorXd& qdd) {
  const MatrixXd bodies =
      oracle::newton_euler_regressor(robot, oracle::motion_on_standing_base(robot, q, qd, qdd));
  MatrixXd rows(bodies.rows(), bodies.cols() + 3 * q.size());
  rows << bodies, MatrixXd(qd.asDiagonal()),
      MatrixXd((qd / kFrictionWidth).array().tanh().matrix().asDiagonal()),
      MatrixXd(qdd.asDiagonal());
  return rows;
}

/// M0 of options_for: tr(J^-1 E_i J^-1 E_j) / 0.5^2 of every body, and columns.
MatrixXd prior_information(const Robot& robot) {
  const Index bodies = 10 * robot.num_bodies(), n = robot.num_coordinates();
  MatrixXd M = MatrixXd::Zero(bodies + 3 * n, bodies + 3 * n);
  for (int b = 0; b < robot.num_bodies(); ++b) {
    const Eigen::Matrix4d inverse = pseudo_inertia(robot.bodies[b].prior).inverse();
    for (int i = 0; i < 10; ++i)
      for (int j = 0; j < 10; ++j)
        M(10 * b + i, 10 * b + j) = (inverse * pseudo_inertia(BodyParameters::Unit(i)) * inverse *
                                     pseudo_inertia(BodyParameters::Unit(j)))
                                        .trace() /
                                    0.25;
  }
  const double deviations[] = {0.7, 1.1, 0.2};
  for (int kind = 0; kind < 3; ++kind)
    for (Index k = 0; k < n; ++k)
      M.diagonal()[bodies + kind * n + k] = 1 / (deviations[kind] * deviations[kind]);
  return M;
}

double log_det(const MatrixXd& M) {
  const VectorXd scale = M.diagonal().cwiseSqrt().cwiseInverse();
  using Matrix = Eigen::Matrix<long double, -1, -1>;
  const Eigen::LLT<Matrix> factor(
      Matrix(MatrixXd(scale.asDiagonal() * M * scale.asDiagonal()).cast<long double>()));
  return static_cast<double>(2 * factor.matrixLLT().diagonal().array().log().sum()) -
         2 * scale.array().log().sum();
}

TEST(Score, WithoutColumnsTheyAreThoseOfAnIdentification) {
  const Robot robot = excite::branched();
  ExciteOptions options;
  const auto without = ScoredRobot::make(robot, options, nullptr, 37);
  options.beliefs.columns = {
      {.kind = "viscous"}, {.kind = "coulomb", .tanh_width = 0.05}, {.kind = "offset"}};
  const auto with = ScoredRobot::make(robot, options, nullptr, 37);
  ASSERT_TRUE(without && with);
  oracle::Random random(4);
  const MatrixXd C = random_coefficients(*without, random);
  EXPECT_EQ(score(std::vector{ScoredMotion{&*without, C}}, {.threads = 1})->front().value,
            score(std::vector{ScoredMotion{&*with, C}}, {.threads = 1})->front().value);
}

TEST(Score, ValueIsMinusLogDetOfDenseRows) {
  const Robot robot = excite::branched();
  const auto made = ScoredRobot::make(robot, options_for(kShape), nullptr, 37);
  ASSERT_TRUE(made) << made.error().message();
  oracle::Random random(4);
  const MatrixXd C = random_coefficients(*made, random);
  const auto scores = score(std::vector{ScoredMotion{&*made, C}}, {.threads = 1});
  ASSERT_TRUE(scores) << scores.error().message();
  MatrixXd M = prior_information(robot);
  EXPECT_NEAR(made->log_det_prior(), log_det(M), 1e-8 * std::abs(log_det(M)));
  for (int s = 0; s < 37; ++s) {
    const double time = s * kShape.duration / 37;
    const MatrixXd Y = dense_rows(robot, spline_at(C, kShape, time, 0),
                                  spline_at(C, kShape, time, 1), spline_at(C, kShape, time, 2));
    M += 20 * kShape.duration / 37 / (0.4 * 0.4) * Y.transpose() * Y;
  }
  EXPECT_NEAR(scores->front().value, -log_det(M), 1e-8 * std::abs(log_det(M)));
  EXPECT_GT(log_det(M), made->log_det_prior() + 50);
  EXPECT_EQ(scores->front().gradient.size(), 0);
}

TEST(Score, ExtremesAreTheLargestAtTheSamples) {
  const Robot robot = excite::branched();
  constexpr int kSamples = 50;
  const auto made = ScoredRobot::make(robot, options_for(kShape), nullptr, kSamples);
  ASSERT_TRUE(made);
  oracle::Random random(9);
  const MatrixXd C = random_coefficients(*made, random);
  const auto scores = score(std::vector{ScoredMotion{&*made, C}});
  ASSERT_TRUE(scores);
  // limits of the file: |q| <= 2, |qd| <= 2; assumed: that velocity in 0.25 s, that acceleration in
  // 0.05 s
  ArrayXXd largest = ArrayXXd::Zero(kNumExtremes, robot.num_coordinates());
  for (int s = 0; s < kSamples; ++s) {
    const double time = s * kShape.duration / kSamples;
    VectorXd at[4];
    for (int order = 0; order < 4; ++order) at[order] = spline_at(C, kShape, time, order);
    const double limits[] = {2, 2, 8, 160};
    for (int order = 0; order < 4; ++order)
      largest.row(order) =
          largest.row(order).max(at[order].array().abs().transpose() / limits[order]);
    const VectorXd tau = oracle::newton_euler_torques(
        robot, oracle::motion_on_standing_base(robot, at[0], at[1], at[2]));
    largest.row(4) = largest.row(4).max(tau.array().abs().transpose() / 50);
  }
  const ArrayXXd& found = scores->front().extremes;
  ASSERT_EQ(found.rows(), kNumExtremes);
  ASSERT_EQ(found.cols(), robot.num_coordinates());
  EXPECT_LT(((found - largest) / largest).abs().maxCoeff(), 1e-10) << found << "\n\n" << largest;
}

/// Smooth objectives and shapes in one batch, in which every difference is a motion of its own;
/// gradient_test.cpp has all.
TEST(Score, GradientsAgreeWithDifferences) {
  const Robot robot = excite::branched();
  oracle::Random random(2);
  std::vector<ScoredRobot> robots;
  for (const auto objective :
       {ExcitationObjective::d, ExcitationObjective::i, ExcitationObjective::a})
    for (const auto kind :
         {ExcitationMotion::spline, ExcitationMotion::fourier, ExcitationMotion::fourier_rest}) {
      ExciteOptions options =
          options_for({.kind = kind, .duration = 4, .intervals = 9, .harmonics = 4});
      options.objective = objective;
      auto made = ScoredRobot::make(robot, options);
      ASSERT_TRUE(made) << made.error().message();
      robots.push_back(*made);
    }
  std::vector<ScoredMotion> at, around;
  std::vector<MatrixXd> directions;
  constexpr double kStep = 1e-3;
  for (const ScoredRobot& each : robots) {
    const MatrixXd C = random_coefficients(each, random);
    directions.push_back(random_coefficients(each, random).normalized());
    at.push_back({&each, C});
    for (const double share : {1.0, -1.0, 0.5, -0.5, 0.25, -0.25})
      around.push_back({&each, C + share * kStep * directions.back()});
  }
  const auto gradients = score(at, {.with_gradient = true}), values = score(around);
  ASSERT_TRUE(gradients && values);
  for (std::size_t i = 0; i < robots.size(); ++i) {
    const auto slope = [&](std::size_t pair) {
      return ((*values)[6 * i + 2 * pair].value - (*values)[6 * i + 2 * pair + 1].value) /
             (2 * kStep / (1 << pair));
    };
    const double r1 = (4 * slope(1) - slope(0)) / 3, r2 = (4 * slope(2) - slope(1)) / 3;
    const MatrixXd& gradient = (*gradients)[i].gradient;
    ASSERT_EQ(gradient.rows(), at[i].coefficients.rows());
    ASSERT_TRUE(gradient.allFinite());
    EXPECT_NEAR(gradient.cwiseProduct(directions[i]).sum(), (16 * r2 - r1) / 15,
                1e-7 * gradient.norm())
        << i;
    EXPECT_GT(gradient.norm(), 1e-3) << i;
  }
}

TEST(Score, AnyOrderAndThreadsGiveTheSameBits) {
  const Robot robot = excite::branched();
  const auto one = ScoredRobot::make(robot, options_for(kShape)),
             two = ScoredRobot::make(
                 robot,
                 options_for({.kind = ExcitationMotion::fourier, .duration = 3, .harmonics = 3}));
  ASSERT_TRUE(one && two);
  oracle::Random random(6);
  std::vector<ScoredMotion> motions;
  for (int i = 0; i < 70; ++i) {
    const ScoredRobot& each = random.chance(0.5) ? *one : *two;
    motions.push_back({&each, random_coefficients(each, random)});
  }
  const auto alone = score(motions, {.with_gradient = true, .threads = 1});
  ASSERT_TRUE(alone);
  std::vector<ScoredMotion> reversed(motions.rbegin(), motions.rend());
  const auto together = score(reversed, {.with_gradient = true, .threads = 5});
  ASSERT_TRUE(together);
  for (std::size_t i = 0; i < motions.size(); ++i) {
    const MotionScore &first = (*alone)[i], &second = (*together)[motions.size() - 1 - i];
    EXPECT_EQ(first.value, second.value) << i;
    EXPECT_EQ(first.gradient, second.gradient) << i;
    EXPECT_TRUE((first.extremes == second.extremes).all()) << i;
  }
}

TEST(Score, NamesTheError) {
  const Robot robot = excite::branched();
  const auto made = ScoredRobot::make(robot, options_for(kShape));
  ASSERT_TRUE(made);
  MatrixXd C = MatrixXd::Zero(kShape.num_coefficients(), 4);
  EXPECT_EQ(score(std::vector{ScoredMotion{nullptr, C}}).error().where, "motion 0");
  EXPECT_NE(score(std::vector{ScoredMotion{&*made, C.topRows(3)}}).error().what.find("3 x 4"),
            std::string::npos);
  C(2, 1) = NAN;
  EXPECT_NE(score(std::vector{ScoredMotion{&*made, C}}).error().what.find("not finite"),
            std::string::npos);
  C.setZero();
  const auto stopped = score(std::vector{ScoredMotion{&*made, C}}, {},
                             [](const std::string&, double) { return false; });
  ASSERT_FALSE(stopped);
  EXPECT_TRUE(stopped.error().is_stop);
  ExciteOptions none = options_for(kShape);
  none.shape.intervals = 2;
  EXPECT_EQ(ScoredRobot::make(robot, none).error().where, "--intervals");
}

}  // namespace
}  // namespace heft
