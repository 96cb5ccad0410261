// Samples conditioned by the caller give the same sums as logs, block by block and bit by bit.
#include <gtest/gtest.h>

#include "heft/log/arrays.hpp"
#include "heft/setup/setup.hpp"
#include "rows/unfiltered_motion.hpp"
#include "tests/fuzz/small_robot.hpp"
#include "training/sample_source.hpp"

namespace heft {
namespace {

struct Handed {
  std::vector<int> segments;
  std::vector<Samples> blocks;
};

Handed run(SampleSource& source) {
  Handed handed;
  const auto done = source.run([&](int segment, const Samples& block) -> Result<Done> {
    handed.segments.push_back(segment), handed.blocks.push_back(block);
    return Done{};
  });
  EXPECT_TRUE(done.ok()) << done.error().message();
  return handed;
}

void expect_equal(const Samples& samples, const Samples& expected) {
  ASSERT_EQ(samples.size(), expected.size());
  EXPECT_TRUE((samples.time == expected.time).all());
  for_each_array(samples, [&](const SampleArray& array, const Eigen::ArrayXXd& numbers) {
    const Eigen::ArrayXXd& other = expected.*array.member;
    ASSERT_EQ(numbers.size(), other.size()) << array.name;
    EXPECT_TRUE((numbers == other).all()) << array.name;
  });
}

class SampleSourceTest : public ::testing::TestWithParam<bool> {
 protected:
  SampleSourceTest() {
    options_.conditioning.filter_rows = GetParam();
    for (int log = 0; log < 2; ++log) {
      Eigen::ArrayXXd& numbers = numbers_[log];
      numbers.resize(3'000, 5);
      Eigen::ArrayXd t = Eigen::ArrayXd::LinSpaced(numbers.rows(), 0,
                                                   0.004 * static_cast<double>(numbers.rows() - 1));
      t.tail(1'000) += 2;  // a pause: two segments
      numbers << t, (2 * t + log).sin(), 0.3 * (3 * t).cos(), 20 * (2 * t + log).cos(),
          10 + (3 * t).sin();
      const auto columns = [&](Eigen::Index first, Eigen::Index count) {
        return ArrayView(&numbers(0, first), numbers.rows(), count, 1, numbers.rows());
      };
      logs_.push_back(
          array_log("log " + std::to_string(log), columns(0, 1), columns(1, 2), columns(3, 2)));
    }
  }

  const heft::Setup setup_ = *make_setup(fuzz::small_robot());
  GatherOptions options_;
  Eigen::ArrayXXd numbers_[2];
  std::vector<Log> logs_;
};

TEST_P(SampleSourceTest, ARunAfterOneThatWasStoppedHandsOnEverythingOnce) {
  SampleSource reads(logs_, setup_.model, options_), stopped_first(logs_, setup_.model, options_);
  const Handed expected = run(reads);
  int num_blocks = 0;
  const auto stopped = stopped_first.run([&](int, const Samples&) -> Result<Done> {
    if (++num_blocks < 3) return Done{};
    return Error{"the sink", "has enough", ""};
  });
  ASSERT_FALSE(stopped.ok());
  for (int times = 0; times < 2; ++times)  // read, then out of memory
    EXPECT_EQ(run(stopped_first).segments, expected.segments) << times;
}

TEST_P(SampleSourceTest, HeldLogsAreHandedOnAsTheyWouldBeRead) {
  SampleSource reads(logs_, setup_.model, options_);
  const Handed expected = run(reads);
  ASSERT_GE(expected.blocks.size(), 4u);
  ASSERT_EQ(expected.segments.back(), 3);

  std::vector<ConditionedLog> conditioned;
  double bytes = 0;
  for (const Log& log : logs_) {
    SampleSource one({log}, setup_.model, options_);
    (void)run(one);
    auto taken = one.take();
    ASSERT_TRUE(taken);
    EXPECT_FALSE(one.take()) << "it has it no more";
    bytes += taken->bytes;
    conditioned.push_back(std::move(*taken));
  }
  EXPECT_GT(bytes, 2 * 2'000 * 8 * 10);

  const auto unread = [](const LogFormat&) -> Result<SourcePtr> {
    ADD_FAILURE() << "a log is read again";
    return Error{"log", "is read again", ""};
  };
  SampleSource holds({{"a", unread}, {"b", unread}}, setup_.model, options_);
  holds.keep_nothing();
  holds.hold(std::move(conditioned));
  for (int times = 0; times < 2; ++times) {
    const Handed held = run(holds);
    EXPECT_EQ(held.segments, expected.segments);
    ASSERT_EQ(held.blocks.size(), expected.blocks.size());
    for (std::size_t k = 0; k < held.blocks.size(); ++k) {
      expect_equal(held.blocks[k], expected.blocks[k]);
      ASSERT_EQ(held.blocks[k].unfiltered != nullptr, GetParam());
      if (GetParam())
        expect_equal(held.blocks[k].unfiltered->samples, expected.blocks[k].unfiltered->samples);
    }
  }
  ASSERT_EQ(holds.summaries().size(), 2u);
  EXPECT_EQ(holds.summaries()[1].num_samples, reads.summaries()[1].num_samples);
}

TEST_P(SampleSourceTest, KeepsNoMoreThanItMay) {
  SampleSource small({logs_[0]}, setup_.model, options_);
  small.keep_at_most(1'000);
  EXPECT_FALSE(small.take()) << "nothing was read yet";
  const Handed first = run(small);
  EXPECT_FALSE(small.take());
  EXPECT_EQ(run(small).blocks.size(), first.blocks.size()) << "it reads again";
  SampleSource two(logs_, setup_.model, options_);
  (void)run(two);
  EXPECT_FALSE(two.take()) << "of two logs";
}

INSTANTIATE_TEST_SUITE_P(Samples, SampleSourceTest, ::testing::Bool());

}  // namespace
}  // namespace heft
