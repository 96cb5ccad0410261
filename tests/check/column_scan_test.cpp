// Scans of columns against their definitions, for lengths that are no multiple of the lanes, with
// missing and infinite numbers.
#include "host/identification/check/column_scan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "base/median.hpp"

namespace heft::check {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(),
                 kInfinity = std::numeric_limits<double>::infinity();

/// Numbers with repetitions, zeros and a few single large ones.
Eigen::ArrayXd random_column(int size, std::mt19937& random) {
  Eigen::ArrayXd column(size);
  for (double& x : column) {
    x = std::uniform_int_distribution<int>(-3, 3)(random);
    if (random() % 20 == 0) x *= 40;
    if (random() % 10 == 0) x = kNan;
  }
  return column;
}

TEST(ColumnScan, CountsAsByDefinition) {
  std::mt19937 random(1);
  for (int size = 0; size < 40; ++size) {
    const Eigen::ArrayXd x = random_column(size, random);
    double low = kInfinity, high = -kInfinity;
    Eigen::Index finite = 0, equal = 0, within = 0, repeated = 0, steps = 0;
    for (int k = 0; k < size; ++k) {
      if (std::isnan(x[k])) continue;
      low = std::min(low, x[k]);
      high = std::max(high, x[k]);
      ++finite;
      equal += x[k] == 2;
      within += std::abs(x[k] - 1) < 2;
      if (k == 0 || std::isnan(x[k - 1])) continue;
      repeated += x[k] == x[k - 1];
      steps += std::abs(x[k] - x[k - 1]) >= 3;
    }
    EXPECT_EQ(extremes_of(x).low, low);
    EXPECT_EQ(extremes_of(x).high, high);
    EXPECT_EQ(count_finite(x), finite);
    EXPECT_EQ(count_equal(x, 2), equal);
    EXPECT_EQ(count_within(x, 1, 2), within);
    EXPECT_EQ(count_repeated(x), repeated);
    EXPECT_EQ(count_steps(x, 3), steps);
  }
}

TEST(ColumnScan, InfiniteNumbersAreExtremesUnlessExcluded) {
  const Eigen::ArrayXd x{{1, kNan, kInfinity, -2, 5}};
  EXPECT_EQ(extremes_of(x).high, kInfinity);
  EXPECT_EQ(finite_extremes_of(x).high, 5);
  EXPECT_EQ(finite_extremes_of(x).low, -2);
  EXPECT_EQ(count_finite(x), 3);
  EXPECT_EQ(finite_extremes_of(Eigen::ArrayXd::Constant(9, kNan)).width(), -kInfinity);
}

TEST(ColumnScan, SpansAWidthWhereverItIsReached) {
  Eigen::ArrayXd x = Eigen::ArrayXd::Zero(1000);
  EXPECT_FALSE(spans(x, 1));
  for (const int row : {0, 5, 500, 999}) {
    x[row] = -1;
    EXPECT_TRUE(spans(x, 1)) << row;
    EXPECT_FALSE(spans(x, 1.5)) << row;
    x[row] = kNan;
    EXPECT_FALSE(spans(x, 1)) << row;
  }
  EXPECT_FALSE(spans(Eigen::ArrayXd::Constant(1000, kNan), 0));
}

TEST(ColumnScan, HasLargeNumbersBesideTheMedian) {
  std::mt19937 random(2);
  int num_large = 0;
  for (int size = 0; size < 200; ++size) {
    const Eigen::ArrayXd x = random_column(size, random);
    std::vector<double> sizes;
    for (const double number : x)
      if (std::abs(number) > 0) sizes.push_back(std::abs(number));
    const bool is_large =
        !sizes.empty() && median(sizes) < *std::max_element(sizes.begin(), sizes.end()) / 30;
    EXPECT_EQ(has_large(x, 30), is_large) << size;
    num_large += is_large;
  }
  EXPECT_GT(num_large, 20);
  EXPECT_LT(num_large, 180);
}

TEST(ColumnScan, BendsAreTheSmallerOfThoseByStampsAndByRows) {
  const Eigen::ArrayXd x{{0, 1, 3.5, 9, 18, 25}}, place{{kNan, 0.5, 0.25, 0.75, kNan, kNan}};
  const Eigen::ArrayXd bends = bends_of(x, place);
  EXPECT_EQ(bends[0], 0);
  EXPECT_EQ(bends[1], 1 - 3.5 / 2);
  EXPECT_EQ(bends[2], 3.5 - (0.75 * 1 + 0.25 * 9));
  EXPECT_EQ(bends[3], 9 - (3.5 + 18) / 2);
  EXPECT_EQ(bends[4], 0);
  EXPECT_EQ(bends[5], 0);
  EXPECT_EQ(bends_of(Eigen::ArrayXd{{1, 2}}, Eigen::ArrayXd{{0.5, 0.5}}).abs().sum(), 0);
}

}  // namespace
}  // namespace heft::check
