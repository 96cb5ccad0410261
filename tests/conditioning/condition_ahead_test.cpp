// A thread that conditions ahead changes neither blocks nor errors, and ends when its blocks are
// not needed.
#include "conditioning/condition_ahead.hpp"

#include <cmath>
#include <thread>

#include "tests/conditioning/log_test_support.hpp"

namespace heft {
namespace {

class ConditionAheadTest : public LogTest {
 protected:
  /// Two joints at 250 Hz over several windows; with text in place of a number in the last row if
  /// asked for.
  std::string log(int num_rows, bool breaks_off = false) {
    const auto wave = [](double frequency) {
      return [frequency](int row) { return std::sin(frequency * row); };
    };
    std::string text = table(
        "t,q1,q2,tau1,tau2", num_rows,
        {[](int row) { return row / 250.0; }, wave(0.01), wave(0.02), wave(0.03), wave(0.04)});
    if (breaks_off) text += "1000,here,0,0,0\n";
    return write(text);
  }

  template <class Condition>
  static Result<LogSummary> run(Condition condition, const std::string& path, const BlockSink& sink,
                                const HearFraction& progress = {}) {
    const ConditioningRun of_arm{arm_of({"shoulder", "elbow"})};
    return condition(Log(path), of_arm.reading(), sink, progress);
  }
};

TEST_F(ConditionAheadTest, BlocksAreTheSame) {
  const std::string path = log(100000);
  std::vector<Samples> in_turn, ahead;
  std::vector<int> segments_in_turn, segments_ahead;
  const auto caller = std::this_thread::get_id();
  const auto into = [&](std::vector<Samples>& blocks, std::vector<int>& segments) {
    return [&](int segment, const Samples& block) -> Result<Done> {
      EXPECT_EQ(std::this_thread::get_id(), caller);
      segments.push_back(segment);
      blocks.push_back(block);
      return Done{};
    };
  };
  double last = -1;
  const auto hear = [&](double fraction) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_GE(fraction, last);
    last = fraction;
  };
  const auto expected = run(condition_log, path, into(in_turn, segments_in_turn));
  const auto found = run(condition_ahead, path, into(ahead, segments_ahead), hear);
  ASSERT_TRUE(expected.ok() && found.ok());
  EXPECT_EQ(found->sha256, expected->sha256);
  EXPECT_EQ(found->num_samples, expected->num_samples);
  EXPECT_EQ(segments_ahead, segments_in_turn);
  EXPECT_GT(last, 0);
  ASSERT_GT(in_turn.size(), 3u) << "fewer blocks than are conditioned ahead";
  for (std::size_t k = 0; k < in_turn.size(); ++k) {
    ASSERT_EQ(ahead[k].size(), in_turn[k].size());
    EXPECT_TRUE((ahead[k].time == in_turn[k].time).all());
    EXPECT_TRUE((ahead[k].acceleration == in_turn[k].acceleration).all());
    EXPECT_TRUE((ahead[k].torque == in_turn[k].torque).all());
  }
}

TEST_F(ConditionAheadTest, AnErrorComesAfterTheBlocksBeforeIt) {
  const std::string path = log(40000, true);
  int in_turn = 0, ahead = 0;
  const auto count = [](int& number) {
    return [&number](int, const Samples&) -> Result<Done> {
      ++number;
      return Done{};
    };
  };
  const auto expected = run(condition_log, path, count(in_turn));
  const auto found = run(condition_ahead, path, count(ahead));
  ASSERT_FALSE(expected.ok());
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().message(), expected.error().message());
  EXPECT_EQ(ahead, in_turn);
  EXPECT_GT(ahead, 0);
}

TEST_F(ConditionAheadTest, StopsWhenTheConsumerRefusesABlock) {
  int number = 0;
  const auto found = run(condition_ahead, log(40000), [&](int, const Samples&) -> Result<Done> {
    ++number;
    return Error{"the sink", "has enough", "nothing"};
  });
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().where, "the sink");
  EXPECT_EQ(number, 1);
}

}  // namespace
}  // namespace heft
