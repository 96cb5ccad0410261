// Rows that were sampled earlier or later than their stamps: the motion common to the joints
// reveals the shift, which is then removed; the motion is known at all times.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <utility>

#include "conditioning/sample_shifts.hpp"
#include "tests/conditioning/log_test_support.hpp"

namespace heft {
namespace {

constexpr int kJoints = 4;

double joint_position(int joint, double t) {
  const double w = 2 * std::numbers::pi * (0.2 + 0.07 * joint);
  return 0.5 * std::sin(w * t + joint) + 0.2 * std::cos(2.3 * w * t);
}
double joint_acceleration(int joint, double t) {
  const double w = 2 * std::numbers::pi * (0.2 + 0.07 * joint);
  return -0.5 * w * w * std::sin(w * t + joint) - 0.2 * 2.3 * 2.3 * w * w * std::cos(2.3 * w * t);
}

/// A trapezoid of velocity, to and fro: joints that start and stop together.
double trapezoid(double t) {
  const double u = t - 4 * std::floor(t / 4), v = u < 2 ? u : 4 - u;
  return v < 0.5 ? v * v : v < 1.5 ? 0.25 + (v - 0.5) : 1.5 - (2 - v) * (2 - v);
}

struct LateRows {
  Eigen::ArrayXd time, shift;
  Eigen::ArrayXXd position;
};

/// Rows at `rate` with a latency from 0 to `latency` seconds.
LateRows late_rows(double rate, double latency, int num_rows = 600) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> late(0, latency > 0 ? latency : 1);
  LateRows rows{Eigen::ArrayXd(num_rows), Eigen::ArrayXd(num_rows),
                Eigen::ArrayXXd(num_rows, kJoints)};
  for (int k = 0; k < num_rows; ++k) {
    rows.time[k] = k / rate;
    rows.shift[k] = latency > 0 ? -late(random) : 0;
    for (int j = 0; j < kJoints; ++j)
      rows.position(k, j) = std::round(1e6 * joint_position(j, rows.time[k] + rows.shift[k])) / 1e6;
  }
  return rows;
}

double rms(const Eigen::ArrayXd& values) {
  return std::sqrt(values.square().mean());
}

TEST(SampleShifts, AreFoundWithTheirSize) {
  for (const auto& [rate, latency] :
       {std::pair{30.0, 0.012}, std::pair{125.0, 0.004}, std::pair{125.0, 0.012}}) {
    const LateRows rows = late_rows(rate, latency);
    const auto found = find_common_shift(rows.time, rows.position);
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->is_found()) << rate;
    EXPECT_EQ(found->num_agreeing, kJoints);
    EXPECT_GT(found->explained.minCoeff(), 0.9);
    EXPECT_NEAR(found->rms, latency / std::sqrt(12), 0.1 * latency / std::sqrt(12)) << rate;
  }
}

// More rows than are sampled, in stretches, with numbers that are missing.
TEST(SampleShifts, AreFoundInLongLogs) {
  for (const int num_rows : {2000, 20000}) {
    LateRows rows = late_rows(125, 0.004, num_rows);
    rows.time.tail(num_rows / 3) += 2;
    for (int k = 50; k < num_rows; k += 400)
      rows.position(k, k / 400 % kJoints) = std::numeric_limits<double>::quiet_NaN();
    const auto found = find_common_shift(rows.time, rows.position);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->num_agreeing, kJoints) << num_rows;
    EXPECT_GT(found->explained.minCoeff(), 0.9) << num_rows;
    EXPECT_NEAR(found->rms, 0.004 / std::sqrt(12), 1e-4) << num_rows;
  }
}

// The noise of one joint hides a shift of the others from itself only; a joint at rest has none.
TEST(SampleShifts, OfMostJointsAreFound) {
  LateRows rows = late_rows(125, 0.004);
  std::mt19937 random(5);
  std::normal_distribution<double> noise(0, 5e-2);
  for (double& q : rows.position.col(1)) q += noise(random);
  rows.position.col(3) = 0.25;
  const auto found = find_common_shift(rows.time, rows.position);
  ASSERT_TRUE(found && found->is_found());
  EXPECT_EQ(found->num_joints, 3);
  EXPECT_EQ(found->num_agreeing, 2);
  EXPECT_LT(found->explained[1], 0.1);
  EXPECT_TRUE(std::isnan(found->explained[3]));
}

TEST(SampleShifts, OfOneRowAreThoseThatWereMade) {
  const LateRows rows = late_rows(30, 0.012);
  const Eigen::ArrayXd shift = sample_shifts(rows.position, 1 / 30.0);
  const Eigen::ArrayXd truth = rows.shift - rows.shift.mean();
  EXPECT_LT(rms((shift - truth).segment(10, 580)), 0.35 * rms(truth));
}

TEST(SampleShifts, AreNotFoundInSoundRows) {
  EXPECT_FALSE(find_common_shift(late_rows(30, 0).time, late_rows(30, 0).position)->is_found());
  // stamps that jitter and say so
  LateRows rows = late_rows(30, 0.012);
  EXPECT_FALSE(find_common_shift(rows.time + rows.shift, rows.position)->is_found());
}

TEST(SampleShifts, OfJointsThatDisagreeAreNotFound) {
  LateRows rows = late_rows(30, 0.012);
  std::mt19937 random(9);
  std::uniform_real_distribution<double> late(0, 0.012);
  for (int j = 0; j < kJoints; ++j)
    for (int k = 0; k < rows.time.size(); ++k)
      rows.position(k, j) = joint_position(j, rows.time[k] - late(random));
  EXPECT_FALSE(find_common_shift(rows.time, rows.position)->is_found());
}

TEST(SampleShifts, BelowTheNoiseOfThePositionsAreNotFound) {
  LateRows rows = late_rows(30, 0.001);
  std::mt19937 random(3);
  std::normal_distribution<double> noise(0, 5e-3);
  for (double& q : rows.position.reshaped()) q += noise(random);
  EXPECT_FALSE(find_common_shift(rows.time, rows.position)->is_found());
  EXPECT_FALSE(find_common_shift(rows.time.head(50), rows.position.topRows(50)));  // too few to
                                                                                   // tell
}

// Joints that start and stop together have steps of acceleration in common, which are none of time.
TEST(SampleShifts, AreNoSynchronousMotion) {
  LateRows rows = late_rows(125, 0);
  std::mt19937 random(3);
  std::normal_distribution<double> noise(0, 1e-6);
  for (int k = 0; k < rows.time.size(); ++k)
    for (int j = 0; j < kJoints; ++j)
      rows.position(k, j) = (1 - 0.3 * j) * trapezoid(rows.time[k]) + noise(random);
  EXPECT_FALSE(find_common_shift(rows.time, rows.position)->is_found());
}

class RetimedLog : public LogTest {
 protected:
  /// Largest error of the acceleration of all joints, relative to the largest acceleration.
  static double error_of(const Conditioned& conditioned, double mean_latency) {
    double error = 0, largest = 0;
    for (const Samples& block : conditioned.blocks)
      for (Eigen::Index k = 0; k < block.size(); ++k)
        for (int j = 0; j < kJoints; ++j) {
          const double truth = joint_acceleration(j, block.time[k] - mean_latency);
          error = std::max(error, std::abs(block.acceleration(k, j) - truth));
          largest = std::max(largest, std::abs(truth));
        }
    return error / largest;
  }

  std::string log_of(const LateRows& rows) const {
    std::string text = "t,q1,q2,q3,q4,tau1,tau2,tau3,tau4\n";
    for (int k = 0; k < rows.time.size(); ++k) {
      text += fmt::format("{:.9g}", rows.time[k]);
      for (int j = 0; j < kJoints; ++j) text += fmt::format(",{:.9g}", rows.position(k, j));
      for (int j = 0; j < kJoints; ++j)
        text += fmt::format(",{:.9g}", joint_position(j, rows.time[k] + rows.shift[k]));
      text += "\n";
    }
    return write(text);
  }

  static ConditioningRun run() {
    ConditioningRun run{arm_of({"a", "b", "c", "d"})};
    run.options.lowpass_hz = 5;
    return run;
  }
};

TEST_F(RetimedLog, HasTheAccelerationOfTheMotion) {
  const LateRows rows = late_rows(30, 0.012);
  const std::string log = log_of(rows);
  ConditioningRun as_it_is = run(), retimed = run();
  retimed.format.retime = Retiming::automatic;
  const Conditioned before = as_it_is(log), after = retimed(log);
  ASSERT_TRUE(before.ok() && after.ok()) << before.error() << after.error();
  EXPECT_EQ(before.summary->shift_s, 0);
  EXPECT_NEAR(after.summary->shift_s, 0.012 / std::sqrt(12), 0.0005);
  EXPECT_LT(error_of(after, 0.006), 0.35 * error_of(before, 0.006));
}

TEST_F(RetimedLog, OfSoundRowsIsTheSameToTheBit) {
  const std::string log = log_of(late_rows(30, 0));
  ConditioningRun as_it_is = run(), retimed = run();
  retimed.format.retime = Retiming::automatic;
  expect_same_samples(retimed(log), as_it_is(log));
}

TEST_F(RetimedLog, KeepsItsPausesAndRowsWithoutNumbers) {
  LateRows rows = late_rows(30, 0.012);
  rows.time.tail(300) += 5;  // a pause
  rows.position(100, 1) = kNaN;
  ConditioningRun retimed = run();
  retimed.format.retime = Retiming::automatic;
  const Conditioned done = retimed(log_of(rows));
  ASSERT_TRUE(done.ok()) << done.error();
  EXPECT_EQ(done.summary->num_segments, 3);
  EXPECT_GT(done.summary->shift_s, 0.002);
}

}  // namespace
}  // namespace heft
