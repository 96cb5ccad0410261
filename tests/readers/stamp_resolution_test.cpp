// Stamps as coarse as the sample period: a uniform clock replaces them where rows and duration
// agree, and nowhere else. The motion is known at all times; a wrong clock shows in its
// acceleration.
#include <cmath>
#include <numbers>
#include <random>
#include <set>

#include "readers/log_table.hpp"
#include "tests/conditioning/log_test_support.hpp"

namespace heft {
namespace {

using Stamp = std::function<double(double seconds)>;

double motion(double t) {
  return std::sin(2 * std::numbers::pi * 0.7 * t) +
         0.4 * std::sin(2 * std::numbers::pi * 1.9 * t + 1);
}
double acceleration(double t) {
  const double a = 2 * std::numbers::pi * 0.7, b = 2 * std::numbers::pi * 1.9;
  return -a * a * std::sin(a * t) - 0.4 * b * b * std::sin(b * t + 1);
}

Stamp float32_after(double hours) {
  return [hours](double t) { return static_cast<double>(static_cast<float>(t + 3600 * hours)); };
}
Stamp ticks(double step) {
  return [step](double t) { return step * std::floor(t / step + 1e-9); };
}
Stamp decimals(double step, double begin) {
  return [step, begin](double t) { return step * std::round((t + begin) / step); };
}

class StampResolution : public LogTest {
 protected:
  /// A log of `seconds`, with stamps by `stamp`, without the rows of `lost`; one row in some
  /// thousand may be twice there.
  std::string log(double rate, double seconds, const Stamp& stamp, const std::set<int>& lost = {},
                  const std::set<int>& twice = {}) const {
    std::string text = "t,q1,tau1\n";
    for (int k = 0; k < static_cast<int>(rate * seconds); ++k) {
      const double t = k / rate;
      if (lost.count(k) > 0) continue;
      for (std::size_t copies = 0; copies <= twice.count(k); ++copies)
        text += fmt::format("{:.17g},{:.17g},{:.17g}\n", stamp(t), motion(t), std::cos(t));
    }
    return write(text);
  }

  /// Largest error of the acceleration, by the row's true time, relative to the largest
  /// acceleration. The filter is light.
  static double error_of(const Conditioned& conditioned, double rate, double first_stamp) {
    double largest = 0, error = 0;
    for (const Samples& block : conditioned.blocks)
      for (Eigen::Index k = 0; k < block.size(); ++k) {
        // which row it is the position says: stamps may be off by a step
        const double guess = block.time[k] - first_stamp;
        double best = 1e9, truth = 0;
        for (int row = static_cast<int>((guess - 0.05) * rate); row <= (guess + 0.05) * rate; ++row)
          if (const double off = std::abs(motion(row / rate) - block.position(k, 0)); off < best)
            best = off, truth = acceleration(row / rate);
        largest = std::max(largest, std::abs(truth));
        error = std::max(error, std::abs(block.acceleration(k, 0) - truth));
      }
    return error / largest;
  }

  static ConditioningRun run() {
    ConditioningRun run{arm_of({"joint"})};
    run.options.lowpass_hz = 20;
    return run;
  }
  static ClockState state_of(const std::string& path) {
    auto opened = open_table(path, LogFormat{}, 0);
    EXPECT_TRUE(opened);
    EXPECT_TRUE(opened->source->select({{0, 1, 2}}));
    for (ColumnBlock block; *opened->source->next(block);) {
    }
    return opened->clock->state;
  }
};

TEST_F(StampResolution, CoarseStampsGiveWayToAUniformClock) {
  struct Case {
    const char* name;
    double rate;
    Stamp stamp;
  };
  for (const Case& one : {Case{"float32, 11 h, 250 Hz", 250, float32_after(11.454)},
                          Case{"float32, 11 h, 200 Hz", 200, float32_after(11.454)},
                          Case{"float32, 28 h, 250 Hz", 250, float32_after(28)},
                          Case{"float32, 5 h, 500 Hz", 500, float32_after(5)},
                          Case{"ticks of 1/64 s, 100 Hz", 100, ticks(1.0 / 64)},
                          Case{"ticks of 1/128 s, 125 Hz", 125, ticks(1.0 / 128)},
                          Case{"ticks of 1/64 s, 250 Hz", 250, ticks(1.0 / 64)},
                          Case{"two decimals, 125 Hz", 125, decimals(0.01, 0)},
                          Case{"two decimals, 250 Hz, since 1970", 250, decimals(0.01, 1.7e9)}}) {
    const Conditioned seen = run()(log(one.rate, 50, one.stamp));
    ASSERT_TRUE(seen.ok()) << one.name << seen.error();
    EXPECT_NEAR(seen.summary->rate_hz, one.rate, 1e-3 * one.rate) << one.name;
    EXPECT_GT(seen.summary->clock_step_s, 0) << one.name;
    EXPECT_EQ(seen.summary->num_segments, 1) << one.name;
    EXPECT_EQ(seen.summary->num_interpolated, 0) << one.name;
    EXPECT_LT(error_of(seen, one.rate, one.stamp(0)), 0.02) << one.name;
  }
}

TEST_F(StampResolution, APauseIsKept) {
  std::set<int> pause;
  for (int k = 6000; k < 6500; ++k) pause.insert(k);
  const Conditioned seen = run()(log(250, 50, float32_after(11.454), pause));
  ASSERT_TRUE(seen.ok()) << seen.error();
  EXPECT_EQ(seen.summary->num_segments, 2);
  EXPECT_NEAR(seen.summary->rate_hz, 250, 0.1);
  EXPECT_LT(error_of(seen, 250, float32_after(11.454)(0)), 0.02);
}

TEST_F(StampResolution, LostRowsOfACoarseClockAreDoubted) {
  for (const std::set<int>& lost :
       {std::set<int>{2000}, {1000, 5000, 9000}, {11000}, {300, 301, 7000}}) {
    EXPECT_EQ(state_of(log(250, 50, float32_after(11.454), lost)), ClockState::uncertain);
    EXPECT_EQ(state_of(log(125, 100, decimals(0.01, 0), lost)), ClockState::uncertain);
  }
}

TEST_F(StampResolution, RowsOfAKnownRateNeedNoStamps) {
  ConditioningRun counted = run();
  counted.format.rate_hz = 250;
  const Conditioned seen = counted(log(250, 50, float32_after(11.454), {2000}));
  ASSERT_TRUE(seen.ok()) << seen.error();
  EXPECT_NEAR(seen.summary->rate_hz, 250, 1e-6);
  EXPECT_EQ(seen.summary->num_interpolated, 0);
  EXPECT_EQ(seen.summary->num_segments, 1);
}

TEST_F(StampResolution, ExactClocksStayAsTheyAre) {
  std::mt19937 random(1);
  std::set<int> any, regular;
  for (int k = 0; k < 100; ++k) any.insert(1 + static_cast<int>(random() % 9000));
  for (int k = 40; k < 9000; k += 41) regular.insert(k);
  const Stamp exact = [](double t) { return t; };
  EXPECT_EQ(state_of(log(250, 40, exact)), ClockState::as_logged);
  EXPECT_EQ(state_of(log(250, 40, exact, any)), ClockState::as_logged);
  EXPECT_EQ(state_of(log(250, 40, exact, regular)), ClockState::as_logged);
  EXPECT_EQ(state_of(log(250, 40, decimals(0.001, 1.7e9), regular)), ClockState::as_logged);
  EXPECT_EQ(state_of(log(250, 40, exact, {}, any)), ClockState::as_logged);
  EXPECT_EQ(state_of(log(1000, 10, float32_after(0.05))), ClockState::as_logged);
  // lost rows count in the rate that is reported, not in that of the samples
  const Conditioned seen = run()(log(250, 40, exact, regular));
  ASSERT_TRUE(seen.ok()) << seen.error();
  EXPECT_NEAR(seen.summary->rate_hz, static_cast<double>(10000 - regular.size()) / 40, 0.05);
  EXPECT_NEAR(seen.summary->sample_period_s, 0.004, 1e-9);
}

}  // namespace
}  // namespace heft
