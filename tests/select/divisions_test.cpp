// Gains that hold in long and in short parts of the logs, against numbers computed by hand.
#include "host/identification/select/divisions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace heft::select {
namespace {

FoldErrors errors_of(std::initializer_list<double> squared) {
  FoldErrors errors{Eigen::ArrayXd(static_cast<Eigen::Index>(squared.size())), 1};
  std::copy(squared.begin(), squared.end(), errors.squared.begin());
  return errors;
}

TEST(Divisions, AreShortFoldsAndHalfAsManyLongOnes) {
  EXPECT_EQ(division_sizes(10), (std::vector<int>{10, 5}));
  EXPECT_EQ(division_sizes(5), (std::vector<int>{5, 2}));
  EXPECT_EQ(division_sizes(3), (std::vector<int>{3}));
  EXPECT_EQ(division_sizes(2), (std::vector<int>{2}));
}

TEST(StableGain, IsTheSmallerOfTheDivisions) {
  // short folds fall from 16 to 9, long ones from 10 to 8.1: shares of 1/4 and 1/10
  const FoldErrors before = errors_of({4, 4, 4, 4, 4, 6}), after = errors_of({1, 2, 2, 4, 3, 5.1});
  const StableGain gain = stable_gain(before, after, {4, 2});
  EXPECT_NEAR(gain.least_share, 1 - std::sqrt(0.81), 1e-14);
  EXPECT_NEAR(gain.share, 1 - std::sqrt(17.1 / 26), 1e-14);
  // differences 3 2 2 0: mean 7/4, standard error sqrt(19/48); 1 and 0.9: mean 0.95, 0.05
  EXPECT_NEAR(gain.standard_errors, 0.5 * (1.75 / std::sqrt(19.0 / 48) + 19), 1e-12);
}

TEST(StableGain, OfOneDivisionIsThatOfItsFolds) {
  const FoldErrors before = errors_of({4, 4, 5}), after = errors_of({3, 3, 3});
  const StableGain gain = stable_gain(before, after, {3});
  EXPECT_DOUBLE_EQ(gain.least_share, gain.share);
  EXPECT_NEAR(gain.standard_errors, heft::gain(before, after).standard_errors, 1e-14);
}

TEST(StableGain, HasNoShareWherePartOfADivisionHasNoOptimum) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (int k = 0; k < 6; ++k) {
    FoldErrors after = errors_of({1, 1, 1, 1, 1, 1});
    after.squared[k] = nan;
    const StableGain gain = stable_gain(errors_of({4, 4, 4, 4, 4, 6}), after, {4, 2});
    EXPECT_TRUE(std::isnan(gain.share)) << k;
    EXPECT_TRUE(std::isnan(gain.least_share)) << k;
  }
}

TEST(MostFolds, CountsFourTimeConstants) {
  TrainingData data;
  data.logs.resize(1);
  data.logs[0].sample_period_s = 0.01;
  data.logs[0].filter_reach_s = 3.6;  // 36 time constants of 0.1 s
  data.stretches.resize(2);
  data.stretches[0].num_samples = 150;
  data.stretches[1].num_samples = 70;
  EXPECT_EQ(most_folds(data), 5);  // 2.2 s in folds of 0.4 s
  data.logs[0].filter_reach_s = 0;
  EXPECT_GE(most_folds(data), 1000);
}

}  // namespace
}  // namespace heft::select
