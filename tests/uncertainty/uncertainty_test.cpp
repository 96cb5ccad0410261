// Meaningless options of uncertainty are rejected before anything is computed.
#include "heft/uncertainty/uncertainty.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>

namespace heft {
namespace {

TEST(Uncertainty, OptionsThatMeanNothingAreRefused) {
  const auto executor = make_executor();
  ASSERT_TRUE(executor.ok());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const UncertaintyOptions& options :
       {UncertaintyOptions{.confidence = 0}, UncertaintyOptions{.confidence = 1},
        UncertaintyOptions{.confidence = -3}, UncertaintyOptions{.confidence = nan},
        UncertaintyOptions{.bootstrap = -1}}) {
    const auto found =
        quantify_uncertainty(TrainingData{}, Eigen::VectorXd(), Prior{}, Constraints{},
                             {**executor, {}, {}}, 1e-6, Eigen::VectorXd(), options);
    ASSERT_FALSE(found.ok());
    EXPECT_EQ(found.error().where, options.bootstrap < 0 ? "bootstrap" : "confidence");
    EXPECT_FALSE(found.error().remedy.empty());
  }
}

/// One parameter-like column with standard error 1 and 2.
Uncertainty of_two_columns() {
  Uncertainty uncertainty{.confidence = 0.95};
  uncertainty.prior_shares = Eigen::Vector2d::Zero();
  uncertainty.intervals.resize(2);
  uncertainty.estimate = Eigen::Vector2d(5, 1);
  uncertainty.standard_error = Eigen::Vector2d(1, 2);
  uncertainty.degrees = Eigen::Vector2d(1e6, 1e6);
  uncertainty.per_score = Eigen::Matrix2d::Identity();
  return uncertainty;
}

// Without a bias 1.96 standard errors; with one that dwarfs them the bias and the one-sided 1.645;
// between, the width at which a normal number about the bias is inside.
TEST(Uncertainty, ABiasWidensIntervalsAsItsSizeDemands) {
  const ParameterLayout layout = make_parameter_layout(
      Robot{}, {Column{.name = "a"}, Column{.name = "b", .nonnegative = true}});
  Uncertainty uncertainty = of_two_columns();
  put_systematic(layout, Eigen::Vector2d::Zero(), uncertainty);
  ASSERT_TRUE(uncertainty.intervals[0] && uncertainty.intervals[1]);
  EXPECT_NEAR(uncertainty.intervals[0]->upper, 5 + 1.959964, 1e-5);
  EXPECT_EQ(uncertainty.intervals[1]->lower, 0);  // it cannot be negative
  EXPECT_NEAR(uncertainty.intervals[1]->upper, 1 + 2 * 1.959964, 1e-5);
  put_systematic(layout, Eigen::Vector2d(-100, 2), uncertainty);
  EXPECT_NEAR(uncertainty.intervals[0]->lower, 5 - 101.644854, 1e-5);
  const double width = (uncertainty.intervals[1]->upper - 1) / 2;
  const double inside =
      0.5 * (std::erfc((1 - width) / std::sqrt(2)) - std::erfc((1 + width) / std::sqrt(2)));
  EXPECT_NEAR(inside, 0.95, 1e-6);  // a million degrees are nearly normal
}

// The percentiles of the bootstrap stay inside, and what the prior sets stays without an interval.
TEST(Uncertainty, IntervalsContainTheResamples) {
  const ParameterLayout layout =
      make_parameter_layout(Robot{}, {Column{.name = "a"}, Column{.name = "b"}});
  Uncertainty uncertainty = of_two_columns();
  uncertainty.prior_shares = Eigen::Vector2d(0, 0.6);
  uncertainty.resampled = {{4, 12}, {0, 1}};
  put_systematic(layout, Eigen::Vector2d::Zero(), uncertainty);
  ASSERT_TRUE(uncertainty.intervals[0]);
  EXPECT_NEAR(uncertainty.intervals[0]->lower, 5 - 1.959964, 1e-5);
  EXPECT_EQ(uncertainty.intervals[0]->upper, 12);
  EXPECT_FALSE(uncertainty.intervals[1]);
}

}  // namespace
}  // namespace heft
