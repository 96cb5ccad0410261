// The gain of one model over another, in shares and in standard errors, compared with numbers
// worked out by hand.
#include "identify/cross_validation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace heft {
namespace {

FoldErrors errors_of(std::initializer_list<double> squared) {
  FoldErrors errors;
  errors.squared =
      Eigen::Map<const Eigen::ArrayXd>(squared.begin(), static_cast<Eigen::Index>(squared.size()));
  errors.torque2 = 1000;
  return errors;
}

TEST(Gain, IsAShareOfTheRelativeErrorAndAStudentRatio) {
  // differences 3, 1, 2, 2: mean 2, standard error sqrt(2 / 3 / 4)
  const Gain found = gain(errors_of({10, 10, 10, 10}), errors_of({7, 9, 8, 8}));
  EXPECT_NEAR(found.share, 1 - std::sqrt(32.0 / 40.0), 1e-15);
  EXPECT_NEAR(found.standard_errors, 2 / std::sqrt(2.0 / 3 / 4), 1e-14);
}

TEST(Gain, OfOneLuckyFoldIsWithinTheStandardError) {
  const Gain found = gain(errors_of({10, 10, 10, 10}), errors_of({2, 10.5, 10.5, 10.5}));
  EXPECT_GT(found.share, 0.05);
  EXPECT_LT(found.standard_errors, 1);
}

TEST(Gain, OfNothingIsNothing) {
  const Gain found = gain(errors_of({10, 20}), errors_of({10, 20}));
  EXPECT_EQ(found.share, 0);
  EXPECT_EQ(found.standard_errors, 0);
}

TEST(Gain, OfAModelWithoutOptimumPassesNoComparison) {
  const Gain found =
      gain(errors_of({10, 20}), errors_of({std::numeric_limits<double>::quiet_NaN(), 1}));
  EXPECT_FALSE(found.share >= 0.01);
  EXPECT_FALSE(found.standard_errors > 1);
}

}  // namespace
}  // namespace heft
