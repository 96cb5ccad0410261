// Least squares from normal equations compared with a singular value decomposition of the rows.
#include "heft/solve/least_squares.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "golden_sdp.hpp"
#include "linalg/factorizations.hpp"
#include "test_support.hpp"

namespace heft {
namespace {

TEST(LeastSquares, IsTheMinimumNormAnswerOfColumnScaledRows) {
  test::Random random(5);
  const ParameterLayout layout = test::make_layout(2, 3);
  const int P = layout.num_parameters(), rank = 12, rows = 80;
  const Eigen::VectorXd columns =
      Eigen::VectorXd::NullaryExpr(P, [&] { return std::pow(10.0, random.uniform(-3, 3)); });
  const Eigen::MatrixXd subspace = random.normal(rank, P);
  const Eigen::MatrixXd Y = random.normal(rows, rank) * subspace * columns.asDiagonal();
  const Eigen::VectorXd tau = random.normal(rows, 1);
  const NormalEquations equations{Y.transpose() * Y, Y.transpose() * tau, tau.squaredNorm(),
                                  double(rows)};

  const auto answer = least_squares(layout, equations);
  ASSERT_TRUE(answer) << answer.error().message();

  const Eigen::VectorXd scale = Y.colwise().norm().cwiseInverse().transpose();
  Eigen::JacobiSVD<Eigen::MatrixXd> svd(Y * scale.asDiagonal(),
                                        Eigen::ComputeThinU | Eigen::ComputeThinV);
  svd.setThreshold(1e-8);
  const Eigen::VectorXd expected = scale.asDiagonal() * svd.solve(tau);
  const double condition = svd.singularValues()[0] / svd.singularValues()[rank - 1];
  EXPECT_EQ(answer->rank, rank);
  EXPECT_NEAR(answer->condition, condition, 1e-9 * condition * condition);
  // normal equations square the condition number
  const double tolerance = 1e-14 * P * condition * condition;
  const Eigen::VectorXd scaled_error = (answer->x - expected).cwiseQuotient(scale);
  EXPECT_LE(scaled_error.norm(), tolerance * expected.cwiseQuotient(scale).norm());
  EXPECT_NEAR(answer->residual_cost, (Y * expected - tau).squaredNorm(), 1e-11 * tau.squaredNorm());
  // an orthonormal basis, in scaled columns, of everything that no row sees
  const Eigen::MatrixXd unseen = scale.cwiseInverse().asDiagonal() * answer->unseen;
  ASSERT_EQ(unseen.cols(), P - rank);
  EXPECT_LE((unseen.transpose() * unseen - Eigen::MatrixXd::Identity(P - rank, P - rank)).norm(),
            1e-13 * P);
  EXPECT_LE((Y * answer->unseen).norm(), tolerance);
}

/// A third of the directions unseen, and one singular value around the cut.
TEST(LeastSquares, CountsDirectionsOnEitherSideOfTheCut) {
  test::Random random(8);
  const ParameterLayout layout = test::make_layout(2, 4);
  const int P = layout.num_parameters(), rank = 16, rows = 60;
  const Eigen::MatrixXd seen = random.normal(rows, rank), subspace = random.normal(rank, P);
  for (const double cut : {1e-6, 1e-3})
    for (const double size : {0.01, 0.3, 3.0, 100.0}) {  // of the smallest, about, over the cut
      Eigen::VectorXd sizes = Eigen::VectorXd::Ones(rank);
      sizes[rank - 1] = 5 * cut * size;
      const Eigen::MatrixXd Y = seen * sizes.asDiagonal() * subspace;
      const NormalEquations equations{Y.transpose() * Y, Y.transpose() * Y.col(0),
                                      Y.col(0).squaredNorm(), double(rows)};
      const auto answer = least_squares(layout, equations, {.rank_cut = cut});
      ASSERT_TRUE(answer) << answer.error().message();
      const Eigen::VectorXd scale = Y.colwise().norm().cwiseInverse().transpose();
      const Eigen::VectorXd values =
          Eigen::JacobiSVD<Eigen::MatrixXd>(Y * scale.asDiagonal()).singularValues();
      const auto above = (values.array() > cut * values[0]).count();
      EXPECT_EQ(answer->rank, above) << cut << " " << size;
      const double condition = values[0] / values[above - 1];
      EXPECT_NEAR(answer->condition, condition, 1e-14 * P * std::pow(condition, 3));
      EXPECT_EQ(answer->unseen.cols(), P - above);
    }
}

TEST(LeastSquares, LeavesOutDirectionsOfLittleInformation) {
  // none of the singular values is rounding: those below the cut are real information
  test::Random random(6);
  const ParameterLayout layout = test::make_layout(2, 3);
  const int P = layout.num_parameters(), rows = 80;
  const Eigen::MatrixXd left =
      Eigen::HouseholderQR<Eigen::MatrixXd>(random.normal(rows, P)).householderQ() *
      Eigen::MatrixXd::Identity(rows, P);
  const Eigen::MatrixXd right =
      Eigen::HouseholderQR<Eigen::MatrixXd>(random.normal(P, P)).householderQ();
  const Eigen::VectorXd sizes =
      Eigen::VectorXd::NullaryExpr(P, [](Eigen::Index k) { return std::pow(10.0, -0.2 * k); });
  const Eigen::MatrixXd Y = left * sizes.asDiagonal() * right.transpose();
  const Eigen::VectorXd tau = random.normal(rows, 1);
  const NormalEquations equations{Y.transpose() * Y, Y.transpose() * tau, tau.squaredNorm(),
                                  double(rows)};
  const Eigen::VectorXd scale = Y.colwise().norm().cwiseInverse().transpose();
  Eigen::JacobiSVD<Eigen::MatrixXd> svd(Y * scale.asDiagonal(),
                                        Eigen::ComputeThinU | Eigen::ComputeThinV);
  for (const double cut : {1e-2, 1e-3}) {
    svd.setThreshold(cut);
    const auto answer = least_squares(layout, equations, {.rank_cut = cut});
    ASSERT_TRUE(answer) << answer.error().message();
    EXPECT_EQ(answer->rank, svd.rank());
    EXPECT_LT(answer->rank, P);
    const Eigen::VectorXd expected = svd.solve(tau);
    EXPECT_LE((answer->x.cwiseQuotient(scale) - expected).norm(), 1e-9 * expected.norm()) << cut;
    const Eigen::MatrixXd unseen = scale.cwiseInverse().asDiagonal() * answer->unseen;
    EXPECT_LE((svd.matrixV().leftCols(answer->rank).transpose() * unseen).norm(), 1e-9) << cut;
  }
}

TEST(BasicSolution, MatchesTheBestResidualWithAsFewColumns) {
  test::Random random(8);
  const ParameterLayout layout = test::make_layout(2, 3);
  const int P = layout.num_parameters(), rank = 12, rows = 80;
  for (int round = 0; round < 20; ++round) {
    Eigen::VectorXd columns =
        Eigen::VectorXd::NullaryExpr(P, [&] { return std::pow(10.0, random.uniform(-3, 3)); });
    columns[round] = 0;  // that no row touches
    const Eigen::MatrixXd subspace = random.normal(rank, P);
    const Eigen::MatrixXd Y = random.normal(rows, rank) * subspace * columns.asDiagonal();
    const Eigen::VectorXd tau = random.normal(rows, 1);
    const NormalEquations equations{Y.transpose() * Y, Y.transpose() * tau, tau.squaredNorm(),
                                    double(rows)};
    const auto x = basic_solution(layout, equations);
    ASSERT_TRUE(x) << x.error().message();
    EXPECT_EQ((x->array() != 0).count(), rank);
    EXPECT_EQ((*x)[round], 0);
    Eigen::JacobiSVD<Eigen::MatrixXd> svd(Y, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const Eigen::VectorXd in_range = svd.matrixU().leftCols(rank).transpose() * tau;
    const double least = tau.squaredNorm() - in_range.squaredNorm();
    EXPECT_NEAR((Y * *x - tau).squaredNorm(), least, 1e-9 * tau.squaredNorm()) << round;
  }
}

TEST(BasicSolution, MatchesTheResidualOfRealLogs) {
  const std::string directory = test::golden_directory();
  if (directory.empty()) GTEST_SKIP() << "no golden answers: set HEFT_GOLDEN";
  for (const auto& golden : test::real_problems(directory)) {
    const auto best = least_squares(golden.layout, golden.equations);
    const auto x = basic_solution(golden.layout, golden.equations);
    ASSERT_TRUE(best && x);
    EXPECT_LE((x->array() != 0).count(), golden.rank) << golden.name;
    EXPECT_NEAR(golden.equations.residual_cost(*x), best->residual_cost, 1e-6 * best->residual_cost)
        << golden.name;
  }
}

TEST(BasicSolution, RefusesNonfiniteNumbers) {
  const ParameterLayout layout = test::make_layout(1, 0);
  NormalEquations equations{Eigen::MatrixXd::Identity(10, 10), Eigen::VectorXd::Ones(10), 1, 10};
  ASSERT_TRUE(basic_solution(layout, equations));
  equations.b[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(basic_solution(layout, equations));
}

TEST(LeastSquares, CountsImpossibleBodies) {
  test::Random random(6);
  const ParameterLayout layout = test::make_layout(3, 0);
  Eigen::VectorXd truth(30);
  truth << random.body(), random.body(), random.body();
  truth[10 + core::kMass] = -1;  // the data say that body 1 has negative mass
  const auto equations = test::random_equations(random, truth, 100, 30, 0);
  const auto answer = least_squares(layout, equations);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->impossible_bodies, std::vector<int>{1});
}

TEST(LeastSquares, FindsTheRankOfRealLogs) {
  const std::string directory = test::golden_directory();
  if (directory.empty()) GTEST_SKIP() << "no golden answers: set HEFT_GOLDEN";
  for (const auto& golden : test::real_problems(directory)) {
    const auto answer = least_squares(golden.layout, golden.equations);
    ASSERT_TRUE(answer) << answer.error().message();
    EXPECT_EQ(answer->rank, golden.rank) << golden.name;
    EXPECT_GE(answer->impossible_bodies.size(), 5u) << golden.name;
  }
}

TEST(LeastSquares, RefusesImpossibleMoments) {
  const ParameterLayout layout = test::make_layout(1, 0);
  NormalEquations good{Eigen::MatrixXd::Identity(10, 10), Eigen::VectorXd::Ones(10), 1, 10};
  EXPECT_TRUE(least_squares(layout, good));

  NormalEquations bad = good;
  bad.G(2, 3) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(least_squares(layout, bad));
  bad = good;
  bad.G(4, 4) = -1;
  EXPECT_FALSE(least_squares(layout, bad));
  bad = good;
  bad.G(0, 1) = bad.G(1, 0) = 2;  // indefinite
  EXPECT_FALSE(least_squares(layout, bad));
  bad = good;
  bad.G(0, 1) = 0.5;  // asymmetric
  EXPECT_FALSE(least_squares(layout, bad));
  bad = good;
  bad.b.resize(9);
  EXPECT_FALSE(least_squares(layout, bad));
  bad = good;
  bad.num_rows = 0;
  EXPECT_FALSE(least_squares(layout, bad));
}

}  // namespace
}  // namespace heft
