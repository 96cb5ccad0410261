// Groups of columns with their own clocks, converted to the clock of the first, compared with
// signals that are known at all times.
#include "readers/join.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "heft/log/arrays.hpp"
#include "tests/conditioning/log_test_support.hpp"

namespace heft {
namespace {

using testing::HasSubstr;

/// Columns of one clock, which must outlive a log of them.
struct Recording {
  std::string name;
  Eigen::ArrayXd time;
  std::vector<std::string> names;
  Eigen::ArrayXXd numbers;

  ArrayGroup group() const { return {name, time, {{names, numbers}}}; }
};

Recording recorded(const std::string& name, double rate_hz, double begin, double end,
                   const std::string& column, const std::function<double(double)>& signal) {
  const auto num_rows = static_cast<Eigen::Index>(std::floor((end - begin) * rate_hz)) + 1;
  Recording recording{name, Eigen::ArrayXd(num_rows), {column}, Eigen::ArrayXXd(num_rows, 1)};
  for (Eigen::Index k = 0; k < num_rows; ++k) {
    recording.time[k] = begin + static_cast<double>(k) / rate_hz;
    recording.numbers(k, 0) = signal(recording.time[k]);
  }
  return recording;
}

Log log_of(const std::vector<Recording>& recordings) {
  std::vector<ArrayGroup> groups;
  for (const Recording& recording : recordings) groups.push_back(recording.group());
  return array_log("bag", groups);
}

/// All rows of the joined columns, or the error that ends them.
struct Joined {
  std::vector<std::string> columns;
  std::vector<std::vector<double>> rows;
  std::string error;

  double at(std::size_t row, const std::string& column) const {
    return rows[row][static_cast<std::size_t>(std::find(columns.begin(), columns.end(), column) -
                                              columns.begin())];
  }
};

Joined joined(const Log& log, const JoinOptions& options = {}) {
  Joined joined;
  auto source = join_groups(std::move(*log.open({})), options);
  if (!source) {
    joined.error = source.error().message();
    return joined;
  }
  joined.columns = (*source)->groups().front().columns;
  std::vector<int> all;
  for (std::size_t k = 0; k < joined.columns.size(); ++k) all.push_back(static_cast<int>(k));
  EXPECT_TRUE((*source)->select({all}).ok());
  for (ColumnBlock block;;) {
    const auto found = (*source)->next(block);
    if (!found) joined.error = found.error().message();
    if (!found || !*found) return joined;
    for (std::int64_t row = 0; row < block.num_rows; ++row) {
      joined.rows.emplace_back();
      for (const ColumnBlock::Column& column : block.columns)
        joined.rows.back().push_back(column[row]);
    }
  }
}

double wave(double t) {
  return std::sin(2 * std::numbers::pi * 1.5 * t);
}

TEST(JoinTest, ClocksOfOtherRateAndOffsetMeetASignalWithinTheErrorOfStraightLines) {
  // h^2 / 8 max |f''| on a straight line over h
  const double bound = std::pow(1 / 170.0, 2) / 8 * std::pow(2 * std::numbers::pi * 1.5, 2);
  const std::vector<Recording> recordings = {
      recorded("joints", 500, 0, 8, "q1", [](double t) { return 2 * t; }),
      recorded("efforts", 170, -0.0123, 8.1, "tau1", wave),
      recorded("fast", 1310, -0.5, 9, "current", wave),
  };
  const Joined table = joined(log_of(recordings));
  ASSERT_EQ(table.error, "");
  EXPECT_EQ(table.columns, (std::vector<std::string>{"t", "q1", "tau1", "current"}));
  ASSERT_EQ(table.rows.size(), 4001u);
  double worst = 0;
  for (std::size_t k = 0; k < table.rows.size(); ++k) {
    const double t = table.at(k, "t");
    ASSERT_EQ(t, recordings[0].time[static_cast<Eigen::Index>(k)]);
    ASSERT_EQ(table.at(k, "q1"), 2 * t);
    ASSERT_LE(std::abs(table.at(k, "tau1") - wave(t)), bound);
    ASSERT_LE(std::abs(table.at(k, "current") - wave(t)), bound);
    worst = std::max(worst, std::abs(table.at(k, "tau1") - wave(t)));
  }
  EXPECT_GT(worst, bound / 2);  // the bound is sharp: a nearest neighbor errs by much more
}

TEST(JoinTest, AColumnThatIsAStraightLineIsExact) {
  const Joined table =
      joined(log_of({recorded("a", 100, 0, 5, "q1", wave),
                     recorded("b", 30, -1, 6, "line", [](double t) { return 3 - t; })}));
  ASSERT_EQ(table.rows.size(), 501u);
  for (std::size_t k = 0; k < table.rows.size(); ++k)
    ASSERT_NEAR(table.at(k, "line"), 3 - table.at(k, "t"),
                4e-15);  // some roundings of numbers up to 6
}

TEST(JoinTest, AColumnIsNanWhereItsGroupHasNoRowsAndAcrossItsPauses) {
  Recording slow = recorded("slow", 50, 1, 4, "tau1", wave);
  // without its rows between 2 and 2.5
  std::vector<Eigen::Index> kept;
  for (Eigen::Index k = 0; k < slow.time.size(); ++k)
    if (slow.time[k] <= 2 + 1e-9 || slow.time[k] >= 2.5 - 1e-9) kept.push_back(k);
  slow.time = slow.time(kept).eval();
  slow.numbers = slow.numbers(kept, Eigen::all).eval();
  const std::vector<Recording> recordings = {recorded("lead", 200, 0, 5, "q1", wave), slow};
  const Log log = log_of(recordings);
  for (const double max_gap : {0.0, 0.3, 0.6}) {
    const Joined table = joined(log, {.max_gap_s = max_gap});
    ASSERT_EQ(table.rows.size(), 1001u);
    for (std::size_t k = 0; k < table.rows.size(); ++k) {
      const double t = table.at(k, "t");
      const bool in_pause = t > 2 + 1e-9 && t < 2.5 - 1e-9 && max_gap < 0.5;
      const bool is_there = t >= 1 - 1e-9 && t <= 4 + 1e-9 && !in_pause;
      ASSERT_EQ(std::isnan(table.at(k, "tau1")), !is_there) << t << " " << max_gap;
      ASSERT_FALSE(std::isnan(table.at(k, "q1")));
    }
  }
}

TEST(JoinTest, ANumberThatIsMissingIsMissingBetweenItsNeighborsOnly) {
  Recording other = recorded("b", 100, 0, 1, "tau1", wave);
  other.numbers(50, 0) = kNaN;
  const Joined table = joined(log_of({recorded("a", 400, 0, 1, "q1", wave), other}));
  ASSERT_EQ(table.rows.size(), 401u);
  for (std::size_t k = 0; k < table.rows.size(); ++k)
    ASSERT_EQ(std::isnan(table.at(k, "tau1")), k > 196 && k < 204) << k;
}

TEST(JoinTest, AGroupThatStandsAloneIsHandedThrough) {
  const std::vector<Recording> recordings = {recorded("a", 100, 0, 1, "q1", wave)};
  auto source = log_of(recordings).open({});
  ASSERT_TRUE(source.ok());
  const Source* const own = source->get();
  const auto table = join_groups(std::move(*source), {});
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(table->get(), own);
}

class JoinedLogTest : public LogTest {};

TEST_F(JoinedLogTest, AGroupOnTheSameClockIsAsGoodAsTheSameTable) {
  constexpr Eigen::Index kRows = 2500;
  Eigen::ArrayXd time = Eigen::ArrayXd::LinSpaced(kRows, 0, 0.004 * (kRows - 1));
  time.tail(1000) += 0.5;  // a pause of both
  Eigen::ArrayXXd position(kRows, 1), torque(kRows, 1);
  position << (3 * time).sin() + 0.01 * (90 * time).cos();
  torque << (2 * time).cos();
  torque(700, 0) = kNaN;
  position(2000, 0) = kNaN;
  const ConditioningRun run{arm_of({"joint"})};
  const Conditioned one = run(array_log("table", time, position, torque));
  const Conditioned two = run(
      array_log("bag", {{"q", time, {{{"q1"}, position}}}, {"tau", time, {{{"tau1"}, torque}}}}));
  expect_same_samples(two, one);
  EXPECT_EQ(one.summary->num_segments, 3);
}

TEST_F(JoinedLogTest, SegmentsEndWhereMotionOfAnotherClockPausesAndTorquesOnlyLoseTheirRows) {
  Recording other = recorded("other", 250, 0, 10, "x", wave);
  other.time.tail(1000) += 0.4;
  const Recording lead = recorded("lead", 250, 0, 10, "y", wave);
  const auto segments_with = [&](const std::string& leading, const std::string& following) {
    Recording a = lead, b = other;
    a.names = {leading};
    b.names = {following};
    const Conditioned log = ConditioningRun{arm_of({"joint"})}(log_of({a, b}));
    EXPECT_TRUE(log.ok()) << log.error();
    EXPECT_GE(log.dropped("not a number"), 99);  // 0.4 s at 250 Hz, and no row at either end
    return log.ok() ? log.summary->num_segments : 0;
  };
  EXPECT_EQ(segments_with("tau1", "q1"), 2);
  EXPECT_EQ(segments_with("q1", "tau1"), 1);
}

TEST_F(JoinedLogTest, FaultsNameTheGroupAndItsRow) {
  const Recording lead = recorded("lead", 250, 0, 4, "q1", wave);
  const auto error_with = [&](const std::function<void(Recording&, Recording&)>& change) {
    Recording a = lead, b = recorded("imu", 100, 0, 4, "tau1", wave);
    change(a, b);
    return ConditioningRun{arm_of({"joint"})}(log_of({a, b})).error();
  };
  EXPECT_EQ(error_with([](auto&, auto&) {}), "no error");
  EXPECT_THAT(error_with([](auto&, Recording& b) { b.time[300] = 1; }),
              HasSubstr("bag: imu[300]: time goes backwards, from 2.99 s to 1 s"));
  EXPECT_THAT(error_with([](auto&, Recording& b) { b.time[300] = kNaN; }),
              HasSubstr("bag: imu[300]: the time is missing"));
  EXPECT_THAT(error_with([](Recording& a, auto&) { a.time[300] = 1; }),
              HasSubstr("bag: lead[300]: time goes backwards"));
  EXPECT_THAT(error_with([](Recording& a, auto&) { a.time[300] = kNaN; }),
              HasSubstr("bag: lead[300]: the time is missing"));
  EXPECT_THAT(error_with([](auto&, Recording& b) {
                b.numbers(20, 0) = -std::numeric_limits<double>::infinity();
              }),
              HasSubstr("bag: imu[20]: tau1: is infinite"));
  EXPECT_THAT(error_with([](auto&, Recording& b) { b.names = {"q1"}; }),
              HasSubstr("'lead' and 'imu' both have a column 'q1'"));
}

TEST_F(JoinedLogTest, GroupsThatNeverMeetAreRefusedBeforeTheyFillTheMemory) {
  constexpr Eigen::Index kRows = 2'000'000;  // half of them are too many
  Recording lead{"lead", Eigen::ArrayXd::LinSpaced(kRows, 0, 0.001 * (kRows - 1)), {"q1"}, {}};
  lead.numbers = lead.time;
  const Recording late = recorded("late", 100, 1e9, 1e9 + 1, "tau1", wave);
  const Joined table = joined(log_of({lead, late}));
  EXPECT_THAT(table.error, HasSubstr("'lead' has"));
  EXPECT_THAT(table.error, HasSubstr("zeros of the clocks"));
}

}  // namespace
}  // namespace heft
