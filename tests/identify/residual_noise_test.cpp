// Scales and covariances of residuals, compared with sorting, dense sums and the noise from which
// they were drawn.
#include "host/identification/identify/residual_noise.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "linalg/factorizations.hpp"
#include "tests/oracle/random.hpp"

namespace heft {
namespace {

constexpr int kNumSamples = 20000;

/// Noise of three channels, two of them correlated, around a prediction; a tenth of the rows is not
/// used.
class Residuals : public ::testing::Test {
 protected:
  Residuals() {
    covariance_ << 4, 1.2, 0, 1.2, 1, 0, 0, 0, 25;
    const Eigen::Matrix3d factor = covariance_.llt().matrixL();
    oracle::Random random(5);
    samples_.torque.resize(kNumSamples, 3);
    samples_.weight.setOnes(kNumSamples, 3);
    predicted_.resize(kNumSamples, 3);
    for (int i = 0; i < kNumSamples; ++i) {
      predicted_.row(i) = 100 * random.normal3().transpose().array();
      samples_.torque.row(i) = predicted_.row(i) + (factor * random.normal3()).transpose().array();
      for (int c = 0; c < 3; ++c) samples_.weight(i, c) = random.uniform() < 0.1 ? 0 : 1;
    }
  }

  ResidualNoise noise() const {
    ResidualNoise noise(3);
    noise.push(samples_, predicted_);
    return noise;
  }

  std::vector<double> used_sizes(int channel) const {
    std::vector<double> sizes;
    for (int i = 0; i < kNumSamples; ++i)
      if (samples_.weight(i, channel) != 0)
        sizes.push_back(std::abs(samples_.torque(i, channel) - predicted_(i, channel)));
    return sizes;
  }

  Eigen::Matrix3d covariance_;
  Samples samples_;
  Eigen::ArrayXXd predicted_;
};

TEST_F(Residuals, ScaleIsTheMedianSize) {
  const Eigen::VectorXd scale = noise().scale();
  for (int c = 0; c < 3; ++c) {
    std::vector<double> sizes = used_sizes(c);
    std::sort(sizes.begin(), sizes.end());
    EXPECT_NEAR(scale[c], 1.482602218505602 * sizes[sizes.size() / 2], scale[c] / 500);
  }
}

TEST_F(Residuals, CovarianceIsTheMeanOfProductsOfUsedRows) {
  Eigen::Matrix3d expected = Eigen::Matrix3d::Zero(), counts = expected;
  for (int i = 0; i < kNumSamples; ++i)
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) {
        if (samples_.weight(i, a) == 0 || samples_.weight(i, b) == 0) continue;
        expected(a, b) +=
            (samples_.torque(i, a) - predicted_(i, a)) * (samples_.torque(i, b) - predicted_(i, b));
        counts(a, b) += 1;
      }
  expected = expected.cwiseQuotient(counts);
  EXPECT_LE((noise().covariance(false) - expected).cwiseAbs().maxCoeff<Eigen::PropagateNaN>(),
            1e-11 * expected.maxCoeff());
}

TEST_F(Residuals, RobustCovarianceIsThatOfTheNoise) {
  // of 0.8 N pairs or more; sign correlations err by pi/2 / sqrt(0.8 N), medians by less
  const double error = 4 * 1.6 / std::sqrt(0.8 * kNumSamples);
  const Eigen::MatrixXd found = noise().covariance(true);
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b)
      EXPECT_NEAR(found(a, b), covariance_(a, b),
                  error * std::sqrt(covariance_(a, a) * covariance_(b, b)));
}

TEST_F(Residuals, OutliersDoNotMoveRobustEstimates) {
  const Eigen::VectorXd before = noise().scale();
  const Eigen::MatrixXd robust = noise().covariance(true), classical = noise().covariance(false);
  for (int i = 0; i < kNumSamples; i += 50) samples_.torque.row(i) += 1000;
  const Eigen::VectorXd after = noise().scale();
  for (int c = 0; c < 3; ++c) EXPECT_NEAR(after[c], before[c], 0.05 * before[c]);
  EXPECT_LE((noise().covariance(true) - robust).cwiseAbs().maxCoeff<Eigen::PropagateNaN>(),
            0.1 * robust.maxCoeff());
  EXPECT_GT((noise().covariance(false) - classical).cwiseAbs().maxCoeff(),
            100 * classical.maxCoeff());
}

TEST_F(Residuals, CovarianceOfChannelsThatAreOneAnotherIsStillPositiveDefinite) {
  samples_.torque.col(1) = predicted_.col(1) + 2 * (samples_.torque.col(0) - predicted_.col(0));
  for (const bool robust : {false, true}) {
    const Eigen::MatrixXd found = noise().covariance(robust);
    const Eigen::VectorXd deviations = found.diagonal().cwiseSqrt();
    const Eigen::MatrixXd correlations =
        deviations.cwiseInverse().asDiagonal() * found * deviations.cwiseInverse().asDiagonal();
    const double least =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(correlations).eigenvalues()[0];
    EXPECT_NEAR(least, ResidualNoise::kMinEigenvalue, 1e-9);
    EXPECT_GT(correlations(0, 1), 0.99);
  }
}

TEST(ResidualNoise, OfAPerfectFitHasNoScaleAndACovarianceAllTheSame) {
  Samples samples;
  samples.torque = Eigen::ArrayXXd::Constant(100, 2, 3.0);
  samples.weight = Eigen::ArrayXXd::Ones(100, 2);
  ResidualNoise noise(2);
  noise.push(samples, samples.torque);
  EXPECT_TRUE((noise.scale().array() == 0).all());
  EXPECT_TRUE(noise.covariance(false).isIdentity(0));
  EXPECT_TRUE(noise.covariance(true).isIdentity(0));
}

}  // namespace
}  // namespace heft
