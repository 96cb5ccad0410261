// Whitened channels compared with generalised least squares on dense stacked rows.
#include "rows/whitening.hpp"

#include <gtest/gtest.h>

#include "heft/executor/executor.hpp"
#include "heft/moments/moments.hpp"
#include "host/identification/select/sub_moments.hpp"
#include "linalg/factorizations.hpp"
#include "tests/conformance/random_samples.hpp"
#include "tests/oracle/random_robot.hpp"

namespace heft {
namespace {

Eigen::MatrixXd random_covariance(int n, oracle::Random& random) {
  Eigen::MatrixXd factor(n, n);
  for (int k = 0; k < n; ++k) factor.col(k) = random.normal_vector(n);
  return factor * factor.transpose() + 0.3 * Eigen::MatrixXd::Identity(n, n);
}

class Whitening : public ::testing::TestWithParam<int> {
 protected:
  Whitening()
      : random_(static_cast<std::uint64_t>(GetParam())),
        robot_(oracle::random_robot(oracle::RandomRobotOptions::everything(GetParam() % 2 == 0),
                                    GetParam())) {
    const std::vector<Channel> channels = default_channels(robot_);
    columns_ = testing::columns_of_every_kind(robot_, channels);
    plan_ = *make_regressor_plan(robot_, channels, columns_);
    data_ = testing::random_samples(*plan_, 300, GetParam());  // a tenth of the rows is not used
    covariance_ = random_covariance(plan_->num_channels(), random_);
  }

  Moments moments_of(const PlanPtr& plan, const Eigen::MatrixXd& covariance,
                     int threads = 1) const {
    auto backend = make_backend({.kind = BackendKind::cpu, .threads = threads});
    MomentAccumulator accumulator(plan, **backend, {.covariance = covariance});
    EXPECT_TRUE(accumulator.push(0, data_.samples).ok());
    return *accumulator.finish();
  }

  oracle::Random random_;
  Robot robot_;
  std::vector<Column> columns_;
  PlanPtr plan_;
  testing::RandomSamples data_;
  Eigen::MatrixXd covariance_;
};

TEST_P(Whitening, GivesTheEquationsOfGeneralisedLeastSquares) {
  const int P = plan_->layout.num_parameters();
  Eigen::MatrixXd G = Eigen::MatrixXd::Zero(P, P);
  Eigen::VectorXd b = Eigen::VectorXd::Zero(P);
  double tau2 = 0;
  for (int t = 0; t < static_cast<int>(data_.samples.size()); ++t) {
    std::vector<int> used;
    for (int c = 0; c < plan_->num_channels(); ++c)
      if (data_.samples.weight(t, c) != 0) used.push_back(c);
    if (used.empty()) continue;
    const Eigen::MatrixXd Y = testing::oracle_rows(*plan_, data_, t)(used, Eigen::all);
    const Eigen::VectorXd tau = data_.samples.torque.row(t).transpose().matrix()(used);
    const Eigen::MatrixXd W = Eigen::MatrixXd(covariance_(used, used)).inverse();
    G += Y.transpose() * W * Y;
    b += Y.transpose() * W * tau;
    tau2 += tau.dot(W * tau);
  }
  const Moments moments = moments_of(whitened_plan(plan_), covariance_);
  const NormalEquations equations =
      normal_equations(moments, Eigen::VectorXd::Ones(plan_->num_channels()));
  const double condition = covariance_.operatorNorm() * covariance_.inverse().operatorNorm();
  const double tolerance = 1e-14 * condition * 300;
  EXPECT_LE((equations.G - G).cwiseAbs().maxCoeff<Eigen::PropagateNaN>(),
            tolerance * G.cwiseAbs().maxCoeff());
  EXPECT_LE((equations.b - b).cwiseAbs().maxCoeff<Eigen::PropagateNaN>(),
            tolerance * b.cwiseAbs().maxCoeff() + 1e-300);
  EXPECT_NEAR(equations.tau2, tau2, tolerance * tau2);
}

TEST_P(Whitening, OfNoiseWithoutCovariancesIsWeighting) {
  const Eigen::VectorXd variances = covariance_.diagonal();
  const Eigen::MatrixXd diagonal = variances.asDiagonal();
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(plan_->num_channels());
  const NormalEquations whitened =
      normal_equations(moments_of(whitened_plan(plan_), diagonal), ones);
  const NormalEquations weighted =
      normal_equations(moments_of(plan_, {}), variances.cwiseInverse());
  EXPECT_LE((whitened.G - weighted.G).cwiseAbs().maxCoeff<Eigen::PropagateNaN>(),
            1e-11 * weighted.G.cwiseAbs().maxCoeff());
  EXPECT_EQ(whitened.num_rows, weighted.num_rows);
}

TEST_P(Whitening, IsTheSameBitsForAnyThreads) {
  const PlanPtr plan = whitened_plan(plan_);
  EXPECT_EQ(moments_of(plan, covariance_, 3).packed, moments_of(plan, covariance_, 1).packed);
}

TEST_P(Whitening, DoesNotMixWithPlainMoments) {
  Moments whitened = moments_of(whitened_plan(plan_), covariance_);
  EXPECT_FALSE(add(whitened, moments_of(plan_, {})).ok());
}

TEST_P(Whitening, OfFewerColumnsIsCutOutOfThatOfMany) {
  const std::vector<Column> few(columns_.begin(),
                                columns_.begin() + static_cast<long>(columns_.size() / 2));
  const auto plan = select::plan_with_columns(*whitened_plan(plan_), few);
  ASSERT_TRUE(plan.ok()) << plan.error().message();
  ASSERT_TRUE((*plan)->whitened_from);
  const Moments cut = select::sub_moments(moments_of(whitened_plan(plan_), covariance_), *plan);
  const Moments direct = moments_of(*plan, covariance_);
  ASSERT_EQ(cut.packed.size(), direct.packed.size());
  double largest = 0;
  for (const double sum : direct.packed) largest = std::max(largest, std::abs(sum));
  for (std::size_t i = 0; i < cut.packed.size(); ++i)
    EXPECT_NEAR(cut.packed[i], direct.packed[i], 300 * 2.3e-16 * largest) << i;
}

INSTANTIATE_TEST_SUITE_P(Robots, Whitening, ::testing::Range(1, 9));

}  // namespace
}  // namespace heft
