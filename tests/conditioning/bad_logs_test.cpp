// Bad input ends in an error with place, fault and remedy; never in a number.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/conditioning/log_test_support.hpp"

namespace heft {
namespace {

using testing::HasSubstr;

class BadLogTest : public LogTest {
 protected:
  BadLogTest() : run_{arm_of({"joint_1", "joint_2"})} {
    run_.options.trim = 1;
    run_.options.filter = FilterKind::none;
  }

  static constexpr const char* kHeader = "t,q1,q2,tau1,tau2\n";
  static std::string good_rows(int from, int to) {
    std::string rows;
    for (int k = from; k < to; ++k) rows += fmt::format("{},{},0,1,2\n", 0.01 * k, 0.1 * k);
    return rows;
  }

  // Conditions the text and expects an error at `where` (after the path, if it starts with a
  // colon).
  Error error_of(const std::string& text, const std::string& where) {
    const std::string path = write(text);
    const Conditioned log = run_(path);
    if (log.ok()) {
      ADD_FAILURE() << "no error";
      return {};
    }
    const Error error = log.summary.error();
    EXPECT_EQ(error.where, where.empty() || where[0] == ':' ? path + where : where);
    EXPECT_FALSE(error.what.empty());
    EXPECT_FALSE(error.remedy.empty()) << error.what;
    return error;
  }

  ConditioningRun run_;
};

TEST_F(BadLogTest, TheGoodOneIsGood) {
  const Conditioned log = run_(write(kHeader + good_rows(0, 20)));
  EXPECT_TRUE(log.ok()) << log.error();
}

TEST_F(BadLogTest, MissingFileAndFolder) {
  const auto missing = run_((folder_ / "none.csv").string());
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error(), HasSubstr("none.csv: cannot be opened: No such file"));
  const auto folder = run_(folder_.string());
  ASSERT_FALSE(folder.ok());
  EXPECT_THAT(folder.error(), HasSubstr("is a folder"));
}

TEST_F(BadLogTest, EmptyOrHeaderOnly) {
  EXPECT_THAT(error_of("", "").what, HasSubstr("empty"));
  EXPECT_THAT(error_of("\n \r\n", "").what, HasSubstr("empty"));
  EXPECT_THAT(error_of(kHeader, "").what, HasSubstr("no rows"));
  EXPECT_THAT(error_of("t,q1,q2,tau1,tau2", "").what, HasSubstr("no rows"));
  EXPECT_THAT(error_of(kHeader + good_rows(0, 1), "").what, HasSubstr("fewer than two rows"));
  EXPECT_THAT(error_of(good_rows(0, 20), ":1").what, HasSubstr("numbers, not column names"));
}

TEST_F(BadLogTest, WrongNumberOfFields) {
  EXPECT_THAT(error_of(kHeader + good_rows(0, 5) + "0.05,1,2,3\n" + good_rows(6, 20), ":7").what,
              HasSubstr("4 fields, but the header has 5"));
  EXPECT_THAT(
      error_of(kHeader + good_rows(0, 5) + "0.05,1,2,3,4,5\n" + good_rows(6, 20), ":7").what,
      HasSubstr("6 fields"));
  EXPECT_THAT(error_of(kHeader + good_rows(0, 5) + "0.05,1", ":7").what, HasSubstr("2 fields"));
  EXPECT_THAT(error_of("t q1 q2 tau1 tau2\n0 1 2 3\n", ":2").what, HasSubstr("4 fields"));
}

TEST_F(BadLogTest, TextAndInfinityAndOverflow) {
  EXPECT_THAT(error_of(kHeader + good_rows(0, 5) + "0.05,1,two,3,4\n", ":7: q2").what,
              HasSubstr("'two' is not a number"));
  EXPECT_THAT(error_of(kHeader + good_rows(0, 5) + "0.05,1,0x1p3,3,4\n", ":7: q2").what,
              HasSubstr("not a number"));
  EXPECT_THAT(error_of(kHeader + good_rows(0, 5) + "0.05,1.5.2,2,3,4\n", ":7: q1").what,
              HasSubstr("'1.5.2' is not a number"));
  EXPECT_THAT(error_of(kHeader + good_rows(0, 5) + "0.05,1,2,inf,4\r\n", ":7: tau1").what,
              HasSubstr("infinite"));
  EXPECT_THAT(error_of(kHeader + good_rows(0, 5) + "0.05,1,2,3,-1e999\r\n", ":7: tau2").what,
              HasSubstr("beyond the range of a double"));
  EXPECT_THAT(
      error_of(kHeader + good_rows(0, 5) + std::string("0.05,\0\1,2,3,4\n", 15), ":7: q1").what,
      HasSubstr("' is not a number"));
}

TEST_F(BadLogTest, TimeThatIsMissingOrGoesBackwards) {
  EXPECT_THAT(error_of(kHeader + good_rows(0, 5) + ",1,2,3,4\n", ":7").what,
              HasSubstr("time is missing"));
  EXPECT_THAT(error_of(kHeader + good_rows(0, 5) + good_rows(2, 9), ":7").what,
              HasSubstr("time goes backwards, from 0.04 s to 0.02 s"));
}

TEST_F(BadLogTest, ColumnsThatAreMissing) {
  const Error position = error_of("t,q1,tau1,tau2\n" + good_rows(0, 3), ":1");
  EXPECT_THAT(position.what, HasSubstr("no column 'q2' for the position of 'joint_2'"));
  EXPECT_THAT(position.remedy, Not(HasSubstr("did you mean")));  // q1 is the other joint's
  EXPECT_THAT(position.remedy, HasSubstr("the header has t, q1, tau1, tau2"));

  const Error joint = error_of("t,q_joint_1,q_Joint_2,tau1,tau2\n" + good_rows(0, 3), ":1");
  EXPECT_THAT(joint.what, HasSubstr("no column 'q_joint_2'"));
  EXPECT_THAT(joint.remedy, HasSubstr("did you mean 'q_Joint_2'?"));

  EXPECT_THAT(error_of("t,q1,q2,tau1,torque2\n" + good_rows(0, 3), ":1").what,
              HasSubstr("no column 'tau2' for the torque of 'joint_2'"));
  // q2 is a position, t the time: neither is proposed as a torque
  const Error torque = error_of("t,q1,q2,tau1\n" + good_rows(0, 3), ":1");
  EXPECT_THAT(torque.what, HasSubstr("no column 'tau2' for the torque of 'joint_2'"));
  EXPECT_THAT(torque.remedy, Not(HasSubstr("did you mean")));
  EXPECT_THAT(torque.remedy, HasSubstr("or set log.torque to its pattern"));
  EXPECT_THAT(error_of("time,q1,q2,tau1,tau2\n" + good_rows(0, 3), ":1").what,
              HasSubstr("no column 't' (the time"));
  run_.options.velocity = VelocitySource::logged;
  EXPECT_THAT(error_of(kHeader + good_rows(0, 20), ":1").what,
              HasSubstr("for the velocity of 'joint_1'"));
}

TEST_F(BadLogTest, TwoColumnsOfOneName) {
  EXPECT_THAT(error_of("t,q1,q2,q1,tau1,tau2\n", ":1").what,
              HasSubstr("columns 2 and 4 are both named 'q1'"));
}

TEST_F(BadLogTest, TooFewSamplesForTheFilter) {
  run_.options.filter = FilterKind::butterworth;
  run_.options.lowpass_hz = 10;
  EXPECT_TRUE(run_(write(kHeader + good_rows(0, 16))).ok());
  EXPECT_THAT(error_of(kHeader + good_rows(0, 15), "").what,
              HasSubstr("conditioning drops all 15 rows (rows dropped over all channels: segment "
                        "too short 30)"));
  run_.options.trim = 10;
  EXPECT_FALSE(run_(write(kHeader + good_rows(0, 20))).ok());
  EXPECT_TRUE(run_(write(kHeader + good_rows(0, 21))).ok());
}

TEST_F(BadLogTest, CutOffsBeyondHalfTheRate) {
  run_.options.filter = FilterKind::butterworth;
  run_.options.lowpass_hz = 50;
  EXPECT_THAT(error_of(kHeader + good_rows(0, 40), "conditioning.lowpass_hz").what,
              HasSubstr("50 Hz, half the sample rate"));
  run_.options.lowpass_hz = 10;
  run_.options.torque_lowpass_hz = 80;
  EXPECT_THAT(error_of(kHeader + good_rows(0, 40), "conditioning.torque_lowpass_hz").what,
              HasSubstr("80 Hz"));
}

TEST_F(BadLogTest, OptionsThatMakeNoSense) {
  const ConditioningRun good = run_;
  const auto refused = [&](const std::string& option,
                           const std::function<void(ConditioningRun&)>& change) {
    run_ = good;
    change(run_);
    error_of(kHeader + good_rows(0, 40), option);
  };
  refused("conditioning.resample_hz", [](auto& run) { run.options.resample_hz = kNaN; });
  refused("conditioning.trim", [](auto& run) { run.options.trim = -1; });
  refused("conditioning.keep_every", [](auto& run) { run.options.keep_every = 0; });
  refused("conditioning.window", [](auto& run) { run.options.window = 0; });
  refused("conditioning.max_gap_s", [](auto& run) { run.options.max_gap_s = kNaN; });
  refused("conditioning.dead_band", [](auto& run) { run.options.dead_band = {1, 2, 3}; });
  refused("conditioning.dead_band", [](auto& run) { run.options.dead_band = {kNaN}; });
  refused("conditioning.torque_limit", [](auto& run) { run.options.torque_limit = {1, -2}; });
  refused("log.angle_unit", [](auto& run) { run.format.angle_unit = "grad"; });
  refused("log.time_scale", [](auto& run) { run.format.time_scale = 0; });
  refused("log.torque_scale", [](auto& run) { run.format.torque_scale = kNaN; });
  for (const char* delimiter : {"::", "", "\n", "\r", "\"", "1", ".", "-"})
    refused("log.delimiter", [&](auto& run) { run.format.delimiter = delimiter; });
  refused("conditioning.lowpass_hz", [](auto& run) {
    run.options.filter = FilterKind::butterworth;
    run.options.lowpass_hz = kNaN;
  });
  refused("conditioning.butterworth_order", [](auto& run) {
    run.options.filter = FilterKind::butterworth;
    run.options.butterworth_order = 0;
  });
  refused("conditioning.savgol_window", [](auto& run) {
    run.options.filter = FilterKind::savitzky_golay;
    run.options.savgol_window = 10;
  });
  refused("conditioning.savgol_order", [](auto& run) {
    run.options.filter = FilterKind::savitzky_golay;
    run.options.savgol_order = 21;
  });
}

TEST_F(BadLogTest, ARateOutOfAllProportion) {
  run_.options.resample_hz = 10001;  // the log has 100 Hz
  EXPECT_THAT(error_of(kHeader + good_rows(0, 40), "conditioning.resample_hz").remedy,
              HasSubstr("time_unit"));
}

TEST_F(BadLogTest, TimesTooLargeForTheirSteps) {
  // doubles near 5e16 lie 8 apart, where a step of 1 cannot be added
  std::string text = kHeader;
  for (int k = 0; k < 300; ++k) text += fmt::format("{},1,1,1,1\n", k);
  for (int k = 0; k < 9; ++k) text += fmt::format("{},1,1,1,1\n", 50000000000000000 + 8 * k);
  const Conditioned log = run_(write(text));
  ASSERT_FALSE(log.ok());
  EXPECT_THAT(log.error(), HasSubstr("the time is too large for steps of 1 s"));
  EXPECT_THAT(log.error(), HasSubstr("subtract the time of the first row"));
}

TEST_F(BadLogTest, StepsThatNoRobotTakes) {
  std::string text = kHeader;
  for (int k = 0; k < 40; ++k) text += fmt::format("{}e-300,1,1,1,1\n", k);
  EXPECT_THAT(error_of(text, "time").remedy, HasSubstr("time_scale"));
  run_.options.resample_hz = 1e300;
  EXPECT_THAT(error_of(text, "time").remedy, HasSubstr("time_scale"));
}

TEST_F(BadLogTest, StampsThatAreNotInSeconds) {
  run_.options.filter = FilterKind::butterworth;
  run_.options.lowpass_hz = 10;
  for (const auto& [step, unit] : {std::pair{10.0, "ms"}, {1e4, "us"}, {1e7, "ns"}}) {
    std::string text = kHeader;
    for (int k = 0; k < 40; ++k) text += fmt::format("{},1,1,1,1\n", step * k);
    EXPECT_THAT(error_of(text, "conditioning.lowpass_hz").remedy,
                HasSubstr(fmt::format("log.time_unit: {}, which makes the rate 100 Hz", unit)));
  }
}

TEST_F(BadLogTest, ACutOffThatRemembersEverything) {
  run_.options.filter = FilterKind::butterworth;
  run_.options.lowpass_hz = 1e-4;  // at 100 Hz
  EXPECT_THAT(error_of(kHeader + good_rows(0, 40), "conditioning.lowpass_hz").what,
              HasSubstr("less than 1e-05 of the sample rate"));
  run_.options.lowpass_hz = 50 * (1 - 1e-12);
  EXPECT_THAT(error_of(kHeader + good_rows(0, 40), "conditioning.lowpass_hz").what,
              HasSubstr("half the sample rate"));
}

TEST_F(BadLogTest, ValuesThatOverflowInTheDerivative) {
  EXPECT_THAT(
      run_(write(kHeader + good_rows(0, 5) + "0.05,1e308,0,1,2\n0.06,-1e308,0,1,2\n0.07,0,0,1,2\n"))
          .error(),
      HasSubstr("overflow"));
}

TEST_F(BadLogTest, ALogOfDecimalCommasWithCrlfAndMarkIsGood) {
  std::string text = "\xEF\xBB\xBF\"t\";\"q1\";\"q2\";\"tau1\";\"tau2\"\r\n";
  for (int k = 0; k < 20; ++k) text += fmt::format("0,{:02d};{},5;1;2;3\r\n", k, k);
  const Conditioned log = run_(write(text));
  ASSERT_TRUE(log.ok()) << log.error();
  EXPECT_NEAR(log.summary->rate_hz, 100, 1e-6);
  EXPECT_EQ(log.all(&Samples::position)(0, 0), 1.5);
}

}  // namespace
}  // namespace heft
