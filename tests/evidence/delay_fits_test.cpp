// What fits of a torque at many delays leave, against an orthogonal factorization of the same rows,
// and bounds on it.
#include "delay_fits.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace heft {
namespace {

constexpr Eigen::Index kFitRows = 400, kFitColumns = 6, kFitDelays = 41, kNoDelay = 20;

/// Two stretches whose rows follow a slow motion and explain the torque without a delay. `noise`:
/// of the torque, different at every delay.
struct SlowStretches {
  std::vector<RowArray> rows;
  std::vector<LaterTorques> later;

  explicit SlowStretches(double noise) {
    std::srand(7);
    for (int s = 0; s < 2; ++s) {
      const Eigen::ArrayXd t =
          Eigen::ArrayXd::LinSpaced(kFitRows, 0, 0.01 * (kFitRows - 1.0)) + 5 * s;
      RowArray Y(kFitRows, kFitColumns);
      for (Eigen::Index k = 0; k < kFitColumns; ++k)
        Y.col(k) = ((1.1 + 0.7 * static_cast<double>(k)) * t + static_cast<double>(k)).sin();
      LaterTorques of{.first = 30, .used = Eigen::ArrayXd::Ones(kFitRows - 60)};
      of.used.segment(100, 7) = 0;
      of.torque.resize(of.used.size(), kFitDelays);
      for (Eigen::Index d = 0; d < kFitDelays; ++d) {
        const Eigen::ArrayXd late =
            t.segment(30, of.used.size()) + 0.01 * static_cast<double>(d - kNoDelay);
        of.torque.col(d) = of.used * ((1.1 * late).sin() + 0.5 * (3.2 * late + 3).sin() +
                                      noise * Eigen::ArrayXd::Random(of.used.size()));
      }
      of.largest = of.torque.cwiseAbs().maxCoeff();
      rows.push_back(std::move(Y)), later.push_back(std::move(of));
    }
  }

  DelayFits fits() const {
    DelayFits fits;
    for (std::size_t i = 0; i < rows.size(); ++i) fits.add(rows[i], later[i]);
    return fits;
  }

  /// By QR of the rows in use, with those of the small term below them.
  Eigen::ArrayXd left() const {
    Eigen::Index num_rows = 0;
    for (const LaterTorques& of : later) num_rows += of.used.size();
    Eigen::MatrixXd Y = Eigen::MatrixXd::Zero(num_rows + kFitColumns, kFitColumns),
                    t = Eigen::MatrixXd::Zero(num_rows + kFitColumns, kFitDelays);
    for (Eigen::Index i = 0, at = 0; i < 2; ++i) {
      const LaterTorques& of = later[static_cast<std::size_t>(i)];
      const Eigen::Index count = of.used.size();
      Y.middleRows(at, count) =
          (rows[static_cast<std::size_t>(i)].middleRows(of.first, count).colwise() * of.used)
              .matrix();
      t.middleRows(at, count) = of.torque;
      at += count;
    }
    Y.bottomRows(kFitColumns) = (1e-4 * Y.colwise().norm()).asDiagonal();
    const Eigen::MatrixXd x = Y.householderQr().solve(t);
    return (t - Y * x).colwise().squaredNorm().transpose();
  }
};

std::vector<Eigen::Index> far_from_none(Eigen::Index least) {
  std::vector<Eigen::Index> far;
  for (Eigen::Index d = 0; d < kFitDelays; ++d)
    if (std::abs(d - kNoDelay) >= least) far.push_back(d);
  return far;
}

TEST(DelayFits, LeaveWhatLeastSquaresDoes) {
  const SlowStretches stretches(0.01);
  DelayFits fits = stretches.fits();
  EXPECT_EQ(fits.num_rows(), 2 * (kFitRows - 67));
  ASSERT_TRUE(fits.is_determined());
  const Eigen::ArrayXd left = fits.left(), truth = stretches.left();
  for (Eigen::Index d = 0; d < kFitDelays; ++d)
    EXPECT_NEAR(left[d], truth[d], 1e-9 * truth[d]) << d;
}

TEST(DelayFits, BoundsHoldAndReachWhatSlowSignalsLeave) {
  const SlowStretches stretches(0.01);
  const Eigen::ArrayXd truth = stretches.left();
  DelayFits fits = stretches.fits();
  const std::vector<Eigen::Index> far = far_from_none(3);
  const DelayFits::Bounds bounds = fits.bounds(kNoDelay, far, 0.9);
  EXPECT_GE(bounds.of_asked, truth[kNoDelay]);
  EXPECT_LE(bounds.of_asked, (1 + 1e-4) * truth[kNoDelay]);
  EXPECT_TRUE((bounds.all <= truth).all());
  for (const Eigen::Index d : far) EXPECT_GE(bounds.all[d], 0.9 * bounds.of_asked) << d;
}

/// Noise of one delay says nothing about that of another.
TEST(DelayFits, BoundsHoldWhereTheyReachNothing) {
  const SlowStretches stretches(30);
  const Eigen::ArrayXd truth = stretches.left();
  DelayFits fits = stretches.fits();
  const DelayFits::Bounds bounds = fits.bounds(kNoDelay, far_from_none(3), 0.9);
  EXPECT_GE(bounds.of_asked, truth[kNoDelay]);
  EXPECT_TRUE((bounds.all <= truth).all());
  EXPECT_LT(bounds.all.minCoeff(), 0.5 * bounds.of_asked);
}

TEST(DelayFits, FewRowsDetermineNothing) {
  SlowStretches stretches(0.01);
  for (LaterTorques& of : stretches.later) {
    of.used.tail(of.used.size() - 6) = 0;
    of.torque.bottomRows(of.used.size() - 6).setZero();
  }
  EXPECT_FALSE(stretches.fits().is_determined());
  EXPECT_FALSE(DelayFits().is_determined());
}

}  // namespace
}  // namespace heft
