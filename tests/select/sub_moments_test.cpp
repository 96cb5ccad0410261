// Moments of fewer columns, extracted from those of many, compared with moments computed with these
// columns alone.
#include "host/identification/select/sub_moments.hpp"

#include <gtest/gtest.h>

#include "heft/executor/executor.hpp"
#include "tests/conformance/random_samples.hpp"
#include "tests/oracle/random_robot.hpp"

namespace heft::select {
namespace {

Moments moments_of(const PlanPtr& plan, const Samples& samples) {
  auto backend = make_backend({.kind = BackendKind::cpu, .threads = 1});
  MomentAccumulator accumulator(plan, **backend);
  EXPECT_TRUE(accumulator.push(0, samples).ok());
  return *accumulator.finish();
}

class SubMoments : public ::testing::TestWithParam<int> {
 protected:
  SubMoments() {
    const Robot robot = oracle::random_robot({}, static_cast<std::uint64_t>(GetParam()));
    const std::vector<Channel> channels = default_channels(robot);
    columns_ = testing::columns_of_every_kind(robot, channels);
    many_ = *make_regressor_plan(robot, channels, columns_);
    samples_ = testing::random_samples(*many_, 700, static_cast<std::uint64_t>(GetParam())).samples;
  }

  std::vector<Column> columns_;
  PlanPtr many_;
  Samples samples_;
};

TEST_P(SubMoments, AreThoseOfTheColumnsThemselves) {
  // every third column, the last ones first
  std::vector<Column> few;
  for (std::size_t k = 0; k < columns_.size(); k += 3) few.insert(few.begin(), columns_[k]);
  const auto plan = plan_with_columns(*many_, few);
  ASSERT_TRUE(plan.ok()) << plan.error().message();
  const Moments cut = sub_moments(moments_of(many_, samples_), *plan);
  const Moments direct = moments_of(*plan, samples_);
  ASSERT_EQ(cut.packed.size(), direct.packed.size());
  EXPECT_EQ(cut.num_rows, direct.num_rows);
  double largest = 0;
  for (const double sum : direct.packed) largest = std::max(largest, std::abs(sum));
  for (std::size_t i = 0; i < cut.packed.size(); ++i)
    EXPECT_NEAR(cut.packed[i], direct.packed[i], 700 * 2.3e-16 * largest) << i;
}

TEST_P(SubMoments, RefuseAColumnThatWasNotThere) {
  Column other = columns_.front();
  other.name = "unheard of";
  const auto plan = plan_with_columns(*many_, {other});
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.error().where, "columns: unheard of");
}

INSTANTIATE_TEST_SUITE_P(Robots, SubMoments, ::testing::Range(1, 9));

}  // namespace
}  // namespace heft::select
