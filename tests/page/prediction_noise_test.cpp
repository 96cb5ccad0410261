// Which of two models predicts better: on errors with a known distribution.
#include <gtest/gtest.h>

#include <cmath>

#include "host/results/page/prediction_noise.hpp"
#include "tests/oracle/random.hpp"

namespace heft {
namespace {

/// Block sums of squared errors of A and B: the errors of both are a common one and one of their
/// own, white or correlated along the log. B's own are `worse` times as large as A's.
struct Judged {
  BlockErrors a, b;
};

Judged judged(double worse, double memory, oracle::Random& random) {
  Judged result;
  double common = 0, own_a = 0, own_b = 0;
  const double fresh = std::sqrt(1 - memory * memory);
  for (int block = 0; block < 40; ++block) {
    double a2 = 0, b2 = 0, torque2 = 0;
    for (int i = 0; i < 50; ++i) {
      common = memory * common + fresh * random.normal();
      own_a = memory * own_a + fresh * random.normal();
      own_b = memory * own_b + fresh * random.normal();
      a2 += std::pow(2 * common + own_a, 2);
      b2 += std::pow(2 * common + worse * own_b, 2);
      torque2 += std::pow(20 * random.normal(), 2);
    }
    result.a.error2.push_back(a2), result.b.error2.push_back(b2);
    result.a.torque2.push_back(torque2), result.b.torque2.push_back(torque2);
  }
  return result;
}

/// How often of `trials` the difference counts as more than noise.
int times_more_than_noise(double worse, double memory, bool paired, int trials = 200) {
  int count = 0;
  for (int seed = 1; seed <= trials; ++seed) {
    oracle::Random random(seed);
    Judged both = judged(worse, memory, random);
    if (!paired) both.b = judged(worse, memory, random).b;
    const PredictionDifference d = prediction_difference(both.a, both.b);
    EXPECT_EQ(d.paired, paired);
    EXPECT_GT(d.standard_error, 0);
    count += d.is_more_than_noise();
  }
  return count;
}

// 5 % of 200 is 10, with a standard deviation of 3
TEST(PredictionNoise, EquallyGoodModelsRarelyDifferSignificantly) {
  for (const double memory : {0.0, 0.9})
    for (const bool paired : {true, false}) {
      const int count = times_more_than_noise(1, memory, paired);
      EXPECT_LE(count, 22) << memory << " " << paired;
      EXPECT_GE(count, 1) << memory << " " << paired;  // nor is everything called noise
    }
}

TEST(PredictionNoise, AWorseModelIsFoundAndSoonerOnTheSameTorques) {
  const int paired = times_more_than_noise(1.25, 0, true),
            apart = times_more_than_noise(1.25, 0, false);
  EXPECT_GT(paired, 170);
  EXPECT_LT(apart, paired - 60);
  oracle::Random random(1);
  const Judged both = judged(2, 0, random);
  EXPECT_GT(prediction_difference(both.a, both.b).difference, 0);
  EXPECT_LT(prediction_difference(both.b, both.a).difference, 0);
}

// by hand: d = 2, -1, 3, 0, 2, -1, 3, 0 has the sum 8, the mean 1 and the squares 1 4 4 1 1 4 4 1 =
// 20; its neighbors' products -2 -4 -2 -1 -2 -4 -2 = -17 make no positive correlation
TEST(PredictionNoise, OfAFewBlocksByHand) {
  BlockErrors a{{5, 5, 5, 5, 5, 5, 5, 5}, std::vector<double>(8, 25)};
  BlockErrors b{{7, 4, 8, 5, 7, 4, 8, 5}, std::vector<double>(8, 25)};
  const PredictionDifference d = prediction_difference(a, b);
  EXPECT_TRUE(d.paired);
  EXPECT_NEAR(d.difference, 8.0 / 200, 1e-15);
  EXPECT_NEAR(d.standard_error, std::sqrt(8.0 / 7 * 20) / 200, 1e-15);
  EXPECT_NEAR(d.threshold, 2.3646, 0.01 * 2.3646);  // Student's t, 7 degrees of freedom, 97.5 %
  EXPECT_FALSE(d.is_more_than_noise());
}

TEST(PredictionNoise, EqualErrorsDoNotDiffer) {
  const BlockErrors a{std::vector<double>(10, 2), std::vector<double>(10, 30)};
  const PredictionDifference d = prediction_difference(a, a);
  EXPECT_EQ(d.difference, 0);
  EXPECT_FALSE(d.is_more_than_noise());
}

}  // namespace
}  // namespace heft
