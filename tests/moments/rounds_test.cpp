// Which rounds of a benchmark count.
#include "tools/bench/rounds.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace heft::tools {
namespace {

TEST(Rounds, DropsThoseBesideALowPeak) {
  Rounds rounds;
  EXPECT_FALSE(rounds.are_enough());
  for (const double seconds : {3.0, 1.0, 2.0, 5.0}) rounds.add(seconds, 100);
  EXPECT_FALSE(rounds.are_enough());
  rounds.add(4, 97);     // just at 97 % of the best
  rounds.add(90, 96.9);  // below
  rounds.add(70, 50);
  EXPECT_TRUE(rounds.are_enough());
  const Timing timing = rounds.timing();
  EXPECT_EQ(timing.median, 3);
  EXPECT_EQ(timing.kept, 5);
  EXPECT_EQ(timing.dropped, 2);
  EXPECT_EQ(timing.peak, 100);
}

/// A better peak that comes late shows that all before were disturbed.
TEST(Rounds, JudgesEarlierRoundsByALaterPeak) {
  Rounds rounds;
  for (int i = 0; i < 10; ++i) rounds.add(2, 80);
  rounds.add(1, 100);
  const Timing timing = rounds.timing();
  EXPECT_EQ(timing.median, 1);
  EXPECT_EQ(timing.kept, 1);
  EXPECT_EQ(timing.dropped, 10);
  EXPECT_FALSE(rounds.are_enough());
}

TEST(Rounds, HaveNoFigureWithoutARound) {
  EXPECT_TRUE(std::isnan(Rounds().timing().median));
}

}  // namespace
}  // namespace heft::tools
