// Torques at other times: between samples a cubic is met to rounding, and rows that some delay
// lacks are left out.
#include <gtest/gtest.h>

#include <limits>

#include "faults/fault.hpp"
#include "planar_arm.hpp"

namespace heft {
namespace {

constexpr double kTorquePeriod = 0.01;

/// A cubic with coefficients of different size.
double torque_at(double t) {
  return 3 - 2 * t + 0.7 * t * t - 0.4 * t * t * t;
}

Samples cubic_torques(Eigen::Index count) {
  Samples samples{.time = Eigen::ArrayXd::LinSpaced(count, 2, 2 + kTorquePeriod * (count - 1.0))};
  samples.torque.resize(count, 2);
  samples.torque.col(0) = samples.time.unaryExpr(&torque_at);
  samples.torque.col(1).setConstant(std::numeric_limits<double>::quiet_NaN());
  samples.weight = Eigen::ArrayXXd::Constant(count, 2, 0.5);
  return samples;
}

const std::vector<double> kDelays = {-0.195, -0.0137, 0, 0.0041, 0.0723, 0.195};

TEST(LaterTorques, FollowACubic) {
  const Samples samples = cubic_torques(100);
  const LaterTorques later = torques_later(samples, 0, {kDelays, 0.205});
  ASSERT_EQ(later.torque.cols(), 6);
  // the longest delay and two samples of the interpolation on either side
  EXPECT_EQ(later.first, 23);
  ASSERT_EQ(later.used.size(), 100 - 2 * 23);
  EXPECT_TRUE((later.used == 1).all());
  for (Eigen::Index d = 0; d < 6; ++d)
    for (Eigen::Index k = 0; k < later.used.size(); ++k)
      EXPECT_NEAR(later.torque(k, d),
                  torque_at(samples.time[later.first + k] + kDelays[static_cast<std::size_t>(d)]),
                  1e-12)
          << k << " " << d;
}

TEST(LaterTorques, LeaveOutRowsThatSomeDelayLacks) {
  Samples samples = cubic_torques(100);
  samples.weight.col(0).head(30).setZero();
  samples.weight.col(0).segment(60, 5).setZero();
  samples.torque.col(0).head(30).setConstant(std::numeric_limits<double>::quiet_NaN());
  const LaterTorques later = torques_later(samples, 0, {kDelays, 0.205});
  // row 30, the first that is known, is the first of the four 19.5 rows before row 51
  EXPECT_EQ(later.first, 51);
  ASSERT_EQ(later.used.size(), 77 - 51);
  EXPECT_TRUE(later.torque.allFinite());
  for (Eigen::Index k = 0; k < later.used.size(); ++k) {
    const bool is_gap = 51 + k >= 60 && 51 + k < 65;
    EXPECT_EQ(later.used[k], is_gap ? 0 : 1) << k;
    if (is_gap) {
      EXPECT_TRUE((later.torque.row(k).array() == 0).all()) << k;
    }
  }
}

TEST(LaterTorques, OfEveryThirdRowAreAmongThoseOfAll) {
  Samples samples = cubic_torques(100);
  samples.weight.col(0).segment(60, 5).setZero();
  const LaterTorques all = torques_later(samples, 0, {kDelays, 0.205}),
                     few = torques_later(samples, 0, {kDelays, 0.205, 3});
  // rows 24 to 75, of 23 to 76
  EXPECT_EQ(few.first, 8);
  ASSERT_EQ(few.used.size(), 18);
  for (Eigen::Index k = 0; k < few.used.size(); ++k) {
    const Eigen::Index row = 3 * (few.first + k) - all.first;
    EXPECT_EQ(few.used[k], all.used[row]) << k;
    EXPECT_TRUE(few.torque.row(k) == all.torque.row(row)) << k;
  }
}

/// Stamps far from zero have periods that are off by rounding.
TEST(LaterTorques, OfWholeRowsAreThoseOfTheRows) {
  std::srand(3);
  Samples samples = cubic_torques(100);
  samples.time = Eigen::ArrayXd::LinSpaced(100, 1e3 / 3, 1e3 / 3 + kTorquePeriod * 99);
  samples.torque.setRandom();
  const std::vector<double> delays = {-0.03, 0, 0.07};
  const LaterTorques later = torques_later(samples, 0, {delays, 0.1});
  ASSERT_GT(later.used.size(), 70);
  for (Eigen::Index k = 0; k < later.used.size(); ++k) {
    const Eigen::Index row = later.first + k;
    EXPECT_EQ(later.torque(k, 0), samples.torque(row - 3, 0));
    EXPECT_EQ(later.torque(k, 1), samples.torque(row, 0));
    EXPECT_EQ(later.torque(k, 2), samples.torque(row + 7, 0));
  }
}

TEST(LaterTorques, AreNoneWithoutRows) {
  Samples samples = cubic_torques(100);
  const std::vector<double> too_long = {-0.6, 0.6};
  EXPECT_EQ(torques_later(samples, 0, {too_long, 0.6}).used.size(), 0);
  samples.weight.setZero();
  EXPECT_EQ(torques_later(samples, 0, {kDelays, 0.205}).used.size(), 0);
}

TEST(LaterTorques, AreThoseOfTheFault) {
  std::srand(5);
  Samples samples = cubic_torques(1000);
  samples.torque.setRandom();
  samples.weight = (Eigen::ArrayXXd::Random(1000, 2) > -0.8).cast<double>();
  const auto setup =
      make_setup(*read_robot_text("planar.urdf", kArm, "", {.gravity = {0, -kGravity, 0}}));
  ASSERT_TRUE(setup);
  const Excerpt training{{samples}}, held_out;
  const Eigen::VectorXd weights = Eigen::Vector2d(1, 1);
  const SolveOptions solve;
  const LogFormat log;
  const ConditioningOptions conditioning;
  Faults faults;
  long_torque_delays({*setup, weights, solve, training, held_out, log, conditioning}, faults);
  ASSERT_EQ(faults.size(), 3u);
  const double longest = faults.front()->range().highest;
  std::vector<double> delays = {-longest, -0.123, 0.004, longest};
  for (int channel = 0; channel < 2; ++channel) {
    const LaterTorques later = torques_later(samples, channel, {delays, longest});
    ASSERT_GT(later.used.sum(), 500);
    EXPECT_LE(later.torque.cwiseAbs().maxCoeff(), later.largest);
    EXPECT_LT(later.largest, 2);  // of torques up to 1
    for (std::size_t d = 0; d < delays.size(); ++d) {
      const Samples undone = faults.front()->undone(samples, delays[d]);
      for (Eigen::Index k = 0; k < later.used.size(); ++k) {
        if (later.used[k] == 0) continue;
        EXPECT_NE(undone.weight(later.first + k, channel), 0);
        EXPECT_NEAR(later.torque(k, static_cast<Eigen::Index>(d)),
                    undone.torque(later.first + k, channel), 1e-14);
      }
    }
  }
}

/// Every torque fault's rows of one channel, of all rows and of every third, are those of the
/// samples without it.
TEST(UndoneRows, AreThoseOfTheSamples) {
  std::srand(6);
  Samples samples = cubic_torques(700);
  samples.torque.setRandom();
  samples.weight = (Eigen::ArrayXXd::Random(700, 2) > -0.9).cast<double>() * 0.5;
  const auto setup =
      make_setup(*read_robot_text("planar.urdf", kArm, "", {.gravity = {0, -kGravity, 0}}));
  ASSERT_TRUE(setup);
  const Excerpt training{{samples}}, held_out;
  const Eigen::VectorXd weights = Eigen::Vector2d(1, 1);
  const SolveOptions solve;
  const LogFormat log;
  const ConditioningOptions conditioning;
  const HypothesisInput input{*setup, weights, solve, training, held_out, log, conditioning};
  Faults faults;
  for (const FaultMaker make :
       {torque_scales, torque_delays, torque_lowpasses, clock_drifts, long_torque_delays})
    make(input, faults);
  EXPECT_EQ(faults.size(), 2u + 3 + 2 + 1 + 3);
  for (const auto& fault : faults) {
    ASSERT_TRUE(fault->changes_torque_alone());
    const double size = 0.3 * fault->range().highest;
    const Samples undone = fault->undone(samples, size);
    int num_changed = 0;
    for (int c = 0; c < 2; ++c) {
      if (fault->channel() >= 0 && fault->channel() != c) {
        EXPECT_TRUE((undone.torque.col(c) == samples.torque.col(c)).all());
        EXPECT_TRUE((undone.weight.col(c) == samples.weight.col(c)).all());
        continue;
      }
      ++num_changed;
      EXPECT_FALSE((undone.weight.col(c) == samples.weight.col(c)).all()) << fault->id();
      for (const Eigen::Index step : {1, 3}) {
        const ChannelRows rows = fault->undone_rows(samples, c, size, step);
        ASSERT_EQ(rows.torque.size(), (700 + step - 1) / step);
        for (Eigen::Index k = 0; k < rows.torque.size(); ++k) {
          EXPECT_EQ(rows.torque[k], undone.torque(k * step, c)) << fault->id() << c << k;
          EXPECT_EQ(rows.weight[k], undone.weight(k * step, c)) << fault->id() << c << k;
        }
      }
    }
    EXPECT_EQ(num_changed, fault->joint().empty() ? 2 : 1);
  }
}

}  // namespace
}  // namespace heft
