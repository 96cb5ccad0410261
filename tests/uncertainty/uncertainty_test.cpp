// Meaningless options of uncertainty are rejected before anything is computed.
#include "heft/uncertainty/uncertainty.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>

#include "tests/oracle/random_robot.hpp"
#include "tests/uncertainty/noise_data.hpp"

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

TEST(Uncertainty, AStandardErrorThatIsNotANumberGivesNoInterval) {
  const ParameterLayout layout =
      make_parameter_layout(Robot{}, {Column{.name = "a"}, Column{.name = "b"}});
  Uncertainty uncertainty = of_two_columns();
  uncertainty.standard_error[0] = std::numeric_limits<double>::quiet_NaN();
  uncertainty.standard_error[1] = std::numeric_limits<double>::infinity();
  put_systematic(layout, Eigen::Vector2d::Zero(), uncertainty);
  EXPECT_FALSE(uncertainty.intervals[0]);
  EXPECT_FALSE(uncertainty.intervals[1]);
}

// The noise does not depend on whether the base parameters have names, so the standard errors of
// single parameters do not either.
TEST(Uncertainty, WithoutNamesOfBaseParametersIsAsLarge) {
  oracle::RandomRobotOptions options;
  options.min_bodies = options.max_bodies = 3;
  const Robot robot = oracle::random_robot(options, 3);
  TrainingData data = noise_of(robot);
  const ParameterLayout& layout = data.plan->layout;
  const auto prior = make_prior(layout, robot, {.weight = 0.01});
  ASSERT_TRUE(prior.ok()) << prior.error().message();
  const auto executor = *make_executor({.kind = BackendKind::cpu, .threads = 1});
  const auto found = [&] {
    return quantify_uncertainty(data, Eigen::VectorXd::Ones(data.plan->num_channels()), *prior, {},
                                {*executor, {}, {}}, 1e-7, oracle::stacked_parameters(robot),
                                {.bootstrap = 0});
  };
  const auto named = found();
  ASSERT_TRUE(named.ok() && named->no_intervals.empty());
  auto plan = std::make_shared<RegressorPlan>(*data.plan);
  plan->robot.gravity.x() = std::numeric_limits<double>::quiet_NaN();
  data.plan = plan;
  const auto unnamed = found();
  ASSERT_TRUE(unnamed.ok()) << unnamed.error().message();
  EXPECT_NE(unnamed->no_intervals.find("gravity"), std::string::npos) << unnamed->no_intervals;
  EXPECT_TRUE(unnamed->quantities.empty());
  ASSERT_EQ(unnamed->standard_error.size(), layout.num_parameters());
  int num_intervals = 0;
  for (int k = 0; k < layout.num_parameters(); ++k) {
    EXPECT_NEAR(unnamed->standard_error[k] / named->standard_error[k], 1, 1e-6) << layout.name(k);
    EXPECT_EQ(unnamed->intervals[k].has_value(), named->intervals[k].has_value());
    num_intervals += unnamed->intervals[k].has_value();
  }
  EXPECT_GT(num_intervals, 0);
}

}  // namespace
}  // namespace heft
