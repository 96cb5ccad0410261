// Folds and blocks contain the right stretches, separated by the stated gap. Every stretch
// contributes a power of two, so that the content of a sum can be read from its value.
#include "training/folds.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/oracle/random_robot.hpp"

namespace heft {
namespace {

constexpr double kPeriod = 0.01;

/// A log in stretches of `length` samples; row counts are the samples' own.
TrainingData stretches_of(int num_stretches, int length, double filter_reach_s) {
  oracle::RandomRobotOptions options;
  options.min_bodies = options.max_bodies = 2;
  const Robot robot = oracle::random_robot(options, 1);
  TrainingData data{.plan = *make_regressor_plan(robot, default_channels(robot), {})};
  data.logs.push_back({.sample_period_s = kPeriod, .filter_reach_s = filter_reach_s});
  data.moments = zero_moments(data.plan);
  for (int i = 0; i < num_stretches; ++i) {
    MomentStretch stretch{zero_moments(data.plan), length};
    for (double& rows : stretch.moments.num_rows) rows = length;
    stretch.moments.packed[0] = std::ldexp(1.0, i);  // which stretch it is
    data.stretches.push_back(stretch);
  }
  return data;
}

/// The stretches that a sum is made of.
std::vector<int> members(const Moments& sum) {
  std::vector<int> list;
  const auto bits = static_cast<std::uint64_t>(sum.packed[0]);
  for (int i = 0; i < 53; ++i)
    if (bits >> i & 1) list.push_back(i);
  return list;
}

TEST(BlockedFolds, HoldEveryStretchOutOnceAndKeepTheGap) {
  const TrainingData data = stretches_of(50, 20, 0.35);  // 35 samples: two stretches
  const auto folds = blocked_folds(data, 5);
  ASSERT_TRUE(folds.ok()) << folds.error().message();
  EXPECT_TRUE(folds->gap_is_full);
  EXPECT_NEAR(folds->gap_s, 0.35, 1e-12);
  ASSERT_EQ(folds->folds.size(), 5u);
  std::vector<int> seen;
  for (const Fold& fold : folds->folds) {
    const std::vector<int> out = members(fold.held_out), in = members(fold.training);
    EXPECT_EQ(out.size(), 10u);
    seen.insert(seen.end(), out.begin(), out.end());
    for (const int i : in) {
      // samples between the nearest held-out sample and the stretch
      const int between = 20 * (i < out.front() ? out.front() - i - 1 : i - out.back() - 1);
      EXPECT_GE(between, 35);
    }
    const std::size_t edges = (out.front() > 0) + (out.back() < 49);
    EXPECT_EQ(in.size(), 40 - 2 * edges);
  }
  std::vector<int> all(50);
  for (int i = 0; i < 50; ++i) all[i] = i;
  EXPECT_EQ(seen, all);
}

TEST(BlockedFolds, AShortLogGetsAShorterGapAndANote) {
  const auto folds = blocked_folds(stretches_of(50, 2, 1.0), 5);
  ASSERT_TRUE(folds.ok());
  EXPECT_FALSE(folds->gap_is_full);
  EXPECT_NEAR(folds->gap_s, 0.05, 1e-12);  // a quarter of 20 samples
}

TEST(BlockedFolds, RefuseLogsTooShortToSplit) {
  EXPECT_FALSE(blocked_folds(stretches_of(14, 20, 0.1), 5).ok());
  EXPECT_FALSE(blocked_folds(stretches_of(50, 20, 0.1), 1).ok());
  TrainingData silent = stretches_of(50, 20, 0.1);
  for (int i = 10; i < 20; ++i)
    for (double& rows : silent.stretches[i].moments.num_rows) rows = 0;
  const auto folds = blocked_folds(silent, 5);
  ASSERT_FALSE(folds.ok());
  EXPECT_NE(folds.error().what.find("no usable rows"), std::string::npos);
}

TEST(IndependentBlocks, AreLongEnoughAndLoseNothing) {
  // reach of 36 time constants: ten are 1 s, 100 samples
  const auto blocks = independent_blocks(stretches_of(52, 60, 3.6));
  ASSERT_TRUE(blocks.ok()) << blocks.error().message();
  EXPECT_EQ(blocks->blocks.size(), 26u);
  EXPECT_NEAR(blocks->shortest_s, 1.2, 1e-12);
  double sum = 0;
  for (const Moments& block : blocks->blocks) sum += block.packed[0];
  EXPECT_EQ(sum, std::ldexp(1.0, 52) - 1);
  EXPECT_EQ(members(blocks->blocks[0]), (std::vector<int>{0, 1}));
  EXPECT_EQ(blocks->num_samples, std::vector<std::int64_t>(26, 120));
}

TEST(IndependentBlocks, TheLastBlockTakesTheRemainder) {
  const auto blocks = independent_blocks(stretches_of(53, 60, 3.6));
  ASSERT_TRUE(blocks.ok()) << blocks.error().message();
  ASSERT_EQ(blocks->num_samples.size(), 26u);
  EXPECT_EQ(blocks->num_samples.back(), 180);
  EXPECT_EQ(members(blocks->blocks.back()), (std::vector<int>{50, 51, 52}));
}

TEST(IndependentBlocks, OfAShortLogAreRefused) {
  const auto blocks = independent_blocks(stretches_of(46, 60, 3.6));
  ASSERT_FALSE(blocks.ok());
  EXPECT_NE(blocks.error().what.find("only 23 blocks"), std::string::npos) << blocks.error().what;
}

}  // namespace
}  // namespace heft
