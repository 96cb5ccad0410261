// The bands from which intervals are computed: coefficients satisfy the rows' equations, errors
// have the reported size, and what noise of the motion removes is restored.
#include "host/applications/payload/sums/band_fit.hpp"

#include <gtest/gtest.h>

#include "linalg/factorizations.hpp"
#include "tests/payload/tool.hpp"

namespace heft::payload {
namespace {

using namespace payload_test;

constexpr double kBand = 5;

Record with_wrench_noise(Record record, std::uint64_t seed) {
  RandomStream random(seed);
  for (Eigen::Index i = 0; i < record.wrench.rows(); ++i)
    for (int c = 0; c < 6; ++c) record.wrench(i, c) += (c < 3 ? 0.1 : 0.005) * random.normal();
  return record;
}

Record with_offset(Record record) {
  Eigen::Array<double, 1, 6> offset;
  offset << 10, -3, 5, 0.2, 0.4, -0.1;
  record.wrench.rowwise() += offset;
  return record;
}

TEST(Bands, CoefficientsObeyTheEquationsOfSamples) {
  const WrenchSamples samples = samples_of(with_offset(shaken(7)));
  const auto bands = bands_of(samples, BiasKind::constant, kBand);
  ASSERT_TRUE(bands);
  EXPECT_EQ(bands->num_windows, 3);
  EXPECT_EQ(bands->num_offsets, 1);
  EXPECT_EQ(bands->fitted.windows.back(), 2);
  for (const Band* band : {&bands->fitted, &bands->beside})
    EXPECT_LE(band->residuals(truth_of()).abs().maxCoeff(), 1e-10);
  // an offset that is not taken off stays in the constants of the windows
  const auto raw = bands_of(samples, BiasKind::none, kBand);
  EXPECT_NEAR(raw->fitted.residuals(truth_of())(0, 0), 10 * std::sqrt(233.0), 1e-9);
}

TEST(Bands, WhiteNoiseIsAsStrongInEveryCoefficient) {
  Eigen::ArrayXd power = Eigen::ArrayXd::Zero(16);
  constexpr int kLogs = 400;
  for (std::uint64_t seed = 0; seed < kLogs; ++seed) {
    const auto bands =
        bands_of(samples_of(with_wrench_noise(shaken(1.5), seed)), BiasKind::none, kBand);
    power.head(8) += bands->fitted.residuals(truth_of()).leftCols<3>().square().rowwise().sum();
    power.tail(8) += bands->beside.residuals(truth_of()).leftCols<3>().square().rowwise().sum();
  }
  power /= 3 * kLogs * 0.1 * 0.1;
  EXPECT_GT(power.minCoeff(), 0.85) << power.transpose();
  EXPECT_LT(power.maxCoeff(), 1.15) << power.transpose();
}

TEST(Bands, MotionAboveTheLowerHalfIsFittedToo) {
  const auto usual = bands_of(samples_of(with_noise(shaken(7), 1)), BiasKind::none, kBand);
  ASSERT_TRUE(usual);
  EXPECT_EQ(usual->fitted.size(), 36);  // 5 / s of each of three windows, rounded up
  EXPECT_EQ(usual->beside.size(), 36);
  // a fifth of the band: of 2.9 rad/s and its double, what the hand does lies in both halves
  const auto slow = bands_of(samples_of(with_noise(shaken(6), 1)), BiasKind::none, 1.0);
  ASSERT_TRUE(slow);
  EXPECT_EQ(slow->fitted.size(), 12);
  EXPECT_EQ(slow->beside.size(), 12);
}

TEST(Bands, AreEmptyForPosesAndVeryShortLogs) {
  WrenchSamples poses = samples_of(shaken(3));
  poses.moves = false;
  EXPECT_FALSE(bands_of(poses, BiasKind::none, kBand));
  EXPECT_FALSE(
      fit_bands(samples_of(shaken(0.2)), BiasKind::constant, kBand, truth_of(), truth_of()));
}

/// Mean of e'C^-1 e over logs, which is the number of parameters where C is the covariance of the
/// error e.
double mean_square(double seconds, BiasKind bias) {
  constexpr int kLogs = 150;
  double sum = 0;
  for (std::uint64_t seed = 0; seed < kLogs; ++seed) {
    const auto fit = fit_bands(samples_of(with_wrench_noise(with_offset(shaken(seconds)), seed)),
                               bias, kBand, truth_of(), truth_of());
    EXPECT_TRUE(fit);
    const BodyParameters e = fit->x - truth_of();
    const Eigen::MatrixXd covariance = fit->covariance.topLeftCorner<4, 4>();
    const Eigen::VectorXd error = e.head<4>();
    sum += error.dot(Eigen::VectorXd(covariance.ldlt().solve(error)));
  }
  return sum / kLogs;
}

TEST(BandFit, ErrorsAreAsLargeAsTheyAreSaidToBe) {
  for (const double seconds : {1.5, 4.0}) {
    const double size = mean_square(seconds, BiasKind::constant) / 4;
    EXPECT_GT(size, 0.5) << seconds;
    EXPECT_LT(size, 1.3) << seconds;
  }
}

TEST(BandFit, CorrectsTheAttenuationByNoiseOfTheMotion) {
  BodyParameters as_found = BodyParameters::Zero(), given_back = as_found;
  constexpr int kLogs = 300;
  for (std::uint64_t seed = 0; seed < kLogs; ++seed) {
    const auto fit = fit_bands(samples_of(with_noise(with_noise(shaken(8), seed), 1000 + seed)),
                               BiasKind::constant, kBand, truth_of(), truth_of());
    ASSERT_TRUE(fit);
    as_found += (fit->x - truth_of()) / kLogs;
    given_back += (fit->x + fit->shrunk_by - truth_of()) / kLogs;
  }
  EXPECT_LT(given_back.tail<6>().norm(), 0.6 * as_found.tail<6>().norm())
      << as_found.transpose() << "\n"
      << given_back.transpose();
}

}  // namespace
}  // namespace heft::payload
