// Uneven time: pauses, lost and repeated stamps, jitter, resampling, and missing values.
#include <cmath>

#include "readers/without_stretches.hpp"
#include "tests/conditioning/log_test_support.hpp"

namespace heft {
namespace {

using Column = std::function<double(int)>;

double line(int k) {
  return 0.02 * k;
}
double one(int) {
  return 1;
}

class SegmentsTest : public LogTest {
 protected:
  static ConditioningRun unfiltered(int trim) {
    ConditioningRun run{arm_of({"joint"})};
    run.options.filter = FilterKind::none;
    run.options.trim = trim;
    return run;
  }
};

TEST_F(SegmentsTest, APauseStartsASegment) {
  // 100 Hz with a pause of 0.2 s after row 60: longer than ten periods
  const auto path = write(table("t,q1,tau1", 150,
                                {[](int k) { return 0.01 * k + (k > 60 ? 0.19 : 0); },
                                 [](int k) { return k > 60 ? 5.0 : 0.0; }, one}));
  ConditioningRun run = unfiltered(2);
  Conditioned log = run(path);
  ASSERT_TRUE(log.ok()) << log.error();
  EXPECT_EQ(log.segments, (std::vector<int>{0, 1}));
  EXPECT_EQ(log.summary->num_segments, 2);
  EXPECT_EQ(log.blocks[0].size(), 61 - 4);
  EXPECT_EQ(log.blocks[1].size(), 89 - 4);
  EXPECT_EQ(log.dropped("edge of segment"), 8);
  // nothing of the jump between the segments is seen
  EXPECT_TRUE((log.all(&Samples::velocity) == 0).all());
  EXPECT_LE(log.summary->jitter, 1e-9);

  run.options.max_gap_s = 0.5;
  log = run(path);
  ASSERT_TRUE(log.ok()) << log.error();
  EXPECT_EQ(log.summary->num_segments, 1);
  EXPECT_EQ(log.summary->num_interpolated, 19);
  EXPECT_NEAR(log.summary->jitter, 19, 1e-6);
}

TEST_F(SegmentsTest, AStretchThatIsLeftOutEndsASegmentHoweverShort) {
  // 100 Hz, of which the rows from 0.50 to 0.60 s are of another world
  const auto column = [](int k) { return k >= 50 && k <= 60 ? 1e6 : 3.0; };
  const auto path =
      write(table("t,q1,tau1", 150, {[](int k) { return 0.01 * k; }, column, column}));
  ConditioningRun run = unfiltered(2);
  for (const double max_gap_s : {0.0, 5.0}) {
    run.options.max_gap_s = max_gap_s;
    const Conditioned log = run(without_stretches(path, {{0.4999, 0.6001}, {9, 10}}));
    ASSERT_TRUE(log.ok()) << log.error();
    EXPECT_EQ(log.segments, (std::vector<int>{0, 1}));
    EXPECT_EQ(log.blocks[0].size(), 50 - 4);
    EXPECT_EQ(log.blocks[1].size(), 89 - 4);
    EXPECT_TRUE((log.all(&Samples::position) == 3).all());
    EXPECT_TRUE((log.all(&Samples::torque) == 3).all());
    EXPECT_EQ(log.summary->sha256, run(path).summary->sha256);
  }
}

TEST_F(SegmentsTest, StretchesAreInSecondsForEveryUnitOfStamps) {
  const auto path = write(table("t,q1,tau1", 150, {[](int k) { return 10.0 * k; }, line, one}));
  ConditioningRun run = unfiltered(2);
  const Log rest = without_stretches(path, {{0.4999, 0.6001}});
  run.format.time_unit = "ms";
  Conditioned log = run(rest);
  ASSERT_TRUE(log.ok()) << log.error();
  EXPECT_EQ(log.blocks.size(), 2u);
  EXPECT_EQ(log.blocks[0].size(), 50 - 4);
  run.format.time_unit = "auto";
  run.format.time_scale = 1e-3;
  log = run(rest);
  ASSERT_TRUE(log.ok()) << log.error();
  EXPECT_EQ(log.blocks.size(), 2u);
  EXPECT_EQ(log.blocks[0].size(), 50 - 4);
}

TEST_F(SegmentsTest, ShortSegmentsAreCountedAndNumbersOfSegmentsStayConsecutive) {
  const auto path = write(
      table("t,q1,tau1", 100,
            {[](int k) { return 0.01 * k + (k > 40 ? 1 : 0) + (k > 44 ? 1 : 0); }, line, one}));
  const Conditioned log = unfiltered(5)(path);
  ASSERT_TRUE(log.ok()) << log.error();
  EXPECT_EQ(log.segments, (std::vector<int>{0, 1}));
  EXPECT_EQ(log.dropped("segment too short"), 4);
}

TEST_F(SegmentsTest, RepeatedStampsKeepTheFirst) {
  const auto path =
      write(table("t,q1,tau1", 100,
                  {[](int k) { return 0.01 * (k > 50 ? k - 1 : k); },
                   [](int k) { return k == 51 ? 1e3 : line(k > 50 ? k - 1 : k); }, one}));
  const Conditioned log = unfiltered(0)(path);
  ASSERT_TRUE(log.ok()) << log.error();
  EXPECT_EQ(log.summary->num_rows, 100);
  EXPECT_EQ(log.summary->num_samples, 99);
  EXPECT_EQ(log.dropped("repeated time stamp"), 1);
  EXPECT_LE(log.all(&Samples::position).maxCoeff<Eigen::PropagateNaN>(), 2);
}

TEST_F(SegmentsTest, RoundedStampsAreUsedAsTheyAre) {
  // 4 ms, written as 0.0039999999: even within 1e-3, nothing is interpolated, the period is the
  // mean
  const auto stamp = [](int k) { return 0.004 * k - (k % 3 == 1 ? 1e-10 : 0); };
  const auto path = write(table("t,q1,tau1", 301, {stamp, line, one}));
  const Conditioned log = unfiltered(0)(path);
  ASSERT_TRUE(log.ok()) << log.error();
  EXPECT_EQ(log.summary->num_interpolated, 0);
  EXPECT_NEAR(log.summary->rate_hz, 250, 1e-9 * 250);
  for (int k = 0; k < 301; ++k) {
    EXPECT_EQ(log.time()[k], stamp(k));
    EXPECT_EQ(log.all(&Samples::position)(k, 0), line(k));
  }
}

TEST_F(SegmentsTest, ALostSampleOfAnEvenLogIsInterpolated) {
  const auto skip = [](int k) { return k > 70 ? k + 1 : k; };  // sample 71 is lost
  const auto path = write(
      table("t,q1,tau1", 200,
            {[&](int k) { return 0.001 * skip(k); }, [&](int k) { return line(skip(k)); }, one}));
  const Conditioned log = unfiltered(0)(path);
  ASSERT_TRUE(log.ok()) << log.error();
  EXPECT_EQ(log.summary->num_samples, 201);
  EXPECT_EQ(log.summary->num_interpolated, 1);
  EXPECT_NEAR(log.summary->jitter, 1, 1e-9);
  for (int k = 0; k < 201; ++k) EXPECT_NEAR(log.all(&Samples::position)(k, 0), line(k), 1e-12);
}

TEST_F(SegmentsTest, HandlesEventsAfterTheProbe) {
  // the clock is judged from the first 10 000 steps; a sample is lost and a pause comes later
  const auto skip = [](int k) { return k + (k > 10500 ? 1 : 0) + (k > 11500 ? 500 : 0); };
  const auto path = write(
      table("t,q1,tau1", 12000,
            {[&](int k) { return 0.001 * skip(k); }, [&](int k) { return line(skip(k)); }, one}));
  const Conditioned log = unfiltered(0)(path);
  ASSERT_TRUE(log.ok()) << log.error();
  EXPECT_EQ(log.summary->num_segments, 2);
  EXPECT_EQ(log.summary->num_samples, 12001);
  EXPECT_EQ(log.summary->num_interpolated, 1);
  const Eigen::ArrayXd t = log.time();
  const Eigen::ArrayXXd q = log.all(&Samples::position);
  for (int k = 0; k < t.size(); ++k) EXPECT_NEAR(q(k, 0), 20 * t[k], 1e-9);
}

TEST_F(SegmentsTest, JitterIsResampledAtTheMedianStep) {
  // steps 8, 10, 12 ms in turn: the line is the same line on the even grid
  const auto stamp = [](int k) { return 0.01 * k - (k % 3 == 1 ? 0.002 : 0); };
  const auto path =
      write(table("t,q1,tau1", 301, {stamp, [&](int k) { return 3 * stamp(k) + 1; }, one}));
  const Conditioned log = unfiltered(0)(path);
  ASSERT_TRUE(log.ok()) << log.error();
  EXPECT_NEAR(log.summary->rate_hz, 100, 1e-6);
  EXPECT_NEAR(log.summary->jitter, 0.2, 1e-9);
  EXPECT_GE(log.summary->num_interpolated, 99);
  ASSERT_EQ(log.summary->num_samples, 301);
  for (int k = 0; k < 301; ++k) {
    EXPECT_NEAR(log.time()[k], 0.01 * k, 1e-12);
    EXPECT_NEAR(log.all(&Samples::position)(k, 0), 0.03 * k + 1, 1e-11);
  }
}

TEST_F(SegmentsTest, KeepsARequestedRateFromTheFirstStampOn) {
  const auto path =
      write(table("t,q1,tau1", 101,
                  {[](int k) { return 5 + 0.01 * k; }, [](int k) { return k * k * 1.0; }, one}));
  ConditioningRun run = unfiltered(0);
  run.options.resample_hz = 400;
  const Conditioned log = run(path);
  ASSERT_TRUE(log.ok()) << log.error();
  EXPECT_EQ(log.summary->rate_hz, 400);
  ASSERT_EQ(log.summary->num_samples, 401);
  EXPECT_EQ(log.summary->num_interpolated, 300);
  const Eigen::ArrayXXd q = log.all(&Samples::position);
  for (int k = 0; k < 401; ++k) {
    // the straight line between the squares on both sides
    const int below = k / 4;
    const double expected = below * below + (k % 4) / 4.0 * (2 * below + 1);
    EXPECT_NEAR(q(k, 0), expected, 1e-9) << k;
    EXPECT_NEAR(log.time()[k], 5 + k / 400.0, 1e-12);
  }
}

TEST_F(SegmentsTest, APositionThatIsNanStartsASegment) {
  const auto path = write(table("t,q1,tau1", 100,
                                {[](int k) { return 0.01 * k; },
                                 [](int k) { return k == 50 || k == 51 ? kNaN : line(k); }, one}));
  const Conditioned log = unfiltered(3)(path);
  ASSERT_TRUE(log.ok()) << log.error();
  EXPECT_EQ(log.segments, (std::vector<int>{0, 1}));
  EXPECT_EQ(log.dropped("not a number"), 2);
  EXPECT_EQ(log.blocks[0].size(), 50 - 6);
  EXPECT_EQ(log.blocks[1].size(), 48 - 6);
}

TEST_F(SegmentsTest, ATorqueThatIsNanCostsItsChannelACutOffPeriodAround) {
  // two joints, 100 Hz, cutoff 20 Hz: 5 samples on each side of rows 200 .. 202
  const auto torque = [](int k) { return k >= 200 && k <= 202 ? kNaN : 2 + 0.5 * k; };
  const auto path = write(
      table("t,q1,q2,tau1,tau2", 400, {[](int k) { return 0.01 * k; }, line, line, torque, line}));
  ConditioningRun run{arm_of({"a", "b"})};
  run.options.lowpass_hz = 20;
  run.options.trim = 70;  // more than a guard: the ends of the line are out of sight
  for (const int window : {16384, 150}) {
    run.options.window = window;
    const Conditioned log = run(path);
    ASSERT_TRUE(log.ok()) << log.error();
    EXPECT_EQ(log.summary->num_segments, 1);
    EXPECT_EQ(log.dropped("not a number"), 3 + 2 * 5);
    const Eigen::ArrayXXd weight = log.all(&Samples::weight), tau = log.all(&Samples::torque);
    EXPECT_EQ(weight.col(1).sum(), 260);
    for (int k = 70; k < 330; ++k) {
      const bool bad = k >= 195 && k <= 207;
      EXPECT_EQ(weight(k - 70, 0), bad ? 0 : 1) << k;
      // a straight line is bridged by itself, so that the filter sees nothing
      EXPECT_NEAR(tau(k - 70, 0), bad ? 0 : 2 + 0.5 * k, 1e-10) << k;
    }
  }
}

TEST_F(SegmentsTest, LongStretchesWithoutTorqueStayFiniteAndFeelNoWindow) {
  // missing from the start, for several guards in the middle, and at the end
  const auto torque = [](int k) {
    return k < 30 || (k > 900 && k < 1700) || k > 2900 ? kNaN : 5 + std::sin(0.02 * k);
  };
  const auto path = write(table("t,q1,tau1", 3000, {[](int k) { return 0.01 * k; }, line, torque}));
  ConditioningRun run{arm_of({"a"})};
  run.options.lowpass_hz = 20;
  run.options.trim = 50;
  const Conditioned whole = run(path);
  run.options.window = 260;
  const Conditioned windowed = run(path);
  ASSERT_TRUE(whole.ok() && windowed.ok()) << whole.error() << windowed.error();
  EXPECT_GE(windowed.blocks.size(), 6u);
  EXPECT_TRUE((whole.all(&Samples::weight) == windowed.all(&Samples::weight)).all());
  EXPECT_LE((whole.all(&Samples::torque) - windowed.all(&Samples::torque))
                .abs()
                .maxCoeff<Eigen::PropagateNaN>(),
            1e-12 * 6);
  EXPECT_EQ(whole.all(&Samples::weight).sum(), (2896 - 50) - (799 + 2 * 5));
}

}  // namespace
}  // namespace heft
