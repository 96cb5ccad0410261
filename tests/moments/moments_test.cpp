// The contract of Moments: the same bits for any threads and blocks, sums that add, layouts that do
// not mix.
#include "heft/moments/moments.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "chunks.hpp"
#include "heft/executor/executor.hpp"
#include "moments/channel_scores.hpp"
#include "moments/moment_forest.hpp"
#include "tests/conformance/random_samples.hpp"
#include "tests/oracle/random_robot.hpp"

namespace heft {
namespace {

PlanPtr plan_of(const Robot& robot) {
  return *make_regressor_plan(robot, default_channels(robot), {});
}

Samples rows_of(const Samples& s, std::int64_t from, std::int64_t count) {
  Samples part;
  part.time = s.time.segment(from, count);
  part.position = s.position.middleRows(from, count);
  part.velocity = s.velocity.middleRows(from, count);
  part.acceleration = s.acceleration.middleRows(from, count);
  part.torque = s.torque.middleRows(from, count);
  part.weight = s.weight.middleRows(from, count);
  part.signal = s.signal.middleRows(from, count);
  return part;
}

std::vector<double> packed_moments(const PlanPtr& plan, const Samples& samples, int threads,
                                   std::int64_t block_size) {
  auto backend = make_backend({.kind = BackendKind::cpu, .threads = threads});
  MomentAccumulator accumulator(plan, **backend);
  for (std::int64_t from = 0; from < samples.size(); from += block_size)
    EXPECT_TRUE(accumulator
                    .push(0, rows_of(samples, from,
                                     std::min<std::int64_t>(block_size, samples.size() - from)))
                    .ok());
  return accumulator.finish()->packed;
}

TEST(Moments, SameBitsForAnyThreadsAndBlocks) {
  oracle::RandomRobotOptions options;
  options.min_bodies = options.max_bodies = 4;
  const PlanPtr plan = plan_of(oracle::random_robot(options, 2));
  const Samples samples = testing::random_samples(*plan, 40 * 1024 + 321, 2).samples;
  const std::vector<double> reference = packed_moments(plan, samples, 1, samples.size());
  for (const double sum : reference) ASSERT_TRUE(std::isfinite(sum));
  ASSERT_NE(reference, std::vector<double>(reference.size(), 0.0));
  for (const int threads : {1, 2, 3, 8})
    for (const std::int64_t block : {777, 1024, 5000, 1 << 20})
      EXPECT_EQ(packed_moments(plan, samples, threads, block), reference)
          << threads << " threads, blocks of " << block;
}

TEST(Moments, ABlockWithoutWeightsIsRefused) {
  const PlanPtr plan = plan_of(oracle::random_robot({}, 4));
  Samples samples = testing::random_samples(*plan, 20, 1).samples;
  auto backend = make_backend({.kind = BackendKind::cpu});
  MomentAccumulator accumulator(plan, **backend);
  EXPECT_TRUE(accumulator.push(0, Samples{}).ok());
  samples.weight.resize(0, 0);
  const Result<Done> done = accumulator.push(0, samples);
  ASSERT_FALSE(done.ok());
  EXPECT_NE(done.error().what.find("weight"), std::string::npos);
}

TEST(Moments, OfTwoSegmentsAreTheSumOfTheirMoments) {
  const PlanPtr plan = plan_of(oracle::random_robot({}, 4));
  const Samples first = testing::random_samples(*plan, 1500, 1).samples;
  const Samples second = testing::random_samples(*plan, 900, 2).samples;
  auto backend = make_backend({.kind = BackendKind::cpu, .threads = 2});
  const auto moments_of = [&](std::vector<const Samples*> segments) {
    MomentAccumulator accumulator(plan, **backend);
    int id = 0;
    for (const Samples* segment : segments) EXPECT_TRUE(accumulator.push(id++, *segment).ok());
    return *accumulator.finish();
  };
  Moments sum = moments_of({&first});
  ASSERT_TRUE(add(sum, moments_of({&second})).ok());
  const Moments both = moments_of({&first, &second});
  EXPECT_EQ(both.packed, sum.packed);
  EXPECT_EQ(both.num_rows, sum.num_rows);
  EXPECT_NE(both.packed, moments_of({&first}).packed);

  scale(sum, 0.5);
  for (std::size_t i = 0; i < both.packed.size(); ++i)
    EXPECT_EQ(sum.packed[i], 0.5 * both.packed[i]);
  for (std::size_t c = 0; c < both.num_rows.size(); ++c)
    EXPECT_EQ(sum.num_rows[c], 0.5 * both.num_rows[c]);
}

// 8 samples until as many stretches as are kept would be of 8, then 16, ..: never longer than a
// stretch
static_assert(chunk_samples(8 * 48 - 1, 48) == 8 && chunk_samples(8 * 48, 48) == 16);
static_assert(chunk_samples(8 * 256 - 1, 256) == 8 && chunk_samples(8 * 256, 256) == 16);
static_assert(chunk_samples(std::int64_t{1} << 40, 48) == core::kChunkSamples);

TEST(Moments, StretchesSumToTheTotalAndKeepTheOrder) {
  const PlanPtr plan = plan_of(oracle::random_robot({}, 4));
  auto backend = make_backend({.kind = BackendKind::cpu, .threads = 2});
  const std::pair<std::int64_t, int> cases[] = {
      {5, 256},     {1000, 256},   {2047, 256},  {2048, 256}, {2048, 32},
      {40000, 256}, {150001, 256}, {150001, 32}, {10000, 48}, {20000, 48}};
  for (const auto& [num_samples, most] : cases) {
    const Samples samples = testing::random_samples(*plan, num_samples, 3).samples;
    MomentAccumulator accumulator(plan, **backend, {.most_stretches = most});
    ASSERT_TRUE(accumulator.push(0, samples).ok());
    const Moments total = *accumulator.finish();
    const std::vector<MomentStretch> stretches = accumulator.take_stretches();
    ASSERT_LE(std::ssize(stretches), most);
    if (num_samples >= 2048) {
      ASSERT_GE(std::ssize(stretches), most / 2);
    }
    double scale = 0;
    for (const double x : total.packed) scale = std::max(scale, std::abs(x));
    ASSERT_GT(scale, 0);
    Moments sum = zero_moments(plan);
    std::int64_t from = 0;
    for (const MomentStretch& stretch : stretches) {
      ASSERT_TRUE(add(sum, stretch.moments).ok());
      if (from + stretch.num_samples < num_samples) {
        EXPECT_EQ(stretch.num_samples, stretches[0].num_samples);
      }
      // samples are summed and rows are counted where they lie
      if (from % 7 == 0) {
        const std::vector<double> own =
            packed_moments(plan, rows_of(samples, from, stretch.num_samples), 1, 1 << 20);
        for (std::size_t i = 0; i < own.size(); ++i)
          EXPECT_NEAR(stretch.moments.packed[i], own[i], 1e-13 * scale);
      }
      EXPECT_EQ(stretch.moments.num_rows[0],
                (samples.weight.col(0).segment(from, stretch.num_samples) != 0).count());
      from += stretch.num_samples;
    }
    EXPECT_EQ(from, num_samples);
    EXPECT_EQ(sum.num_rows, total.num_rows);
    for (std::size_t i = 0; i < sum.packed.size(); ++i)
      EXPECT_NEAR(sum.packed[i], total.packed[i], 1e-13 * scale);
  }
}

TEST(Moments, OfDifferentLayoutsNeverMerge) {
  oracle::RandomRobotOptions options;
  options.joint_types = {JointType::revolute};
  options.min_bodies = 3;
  options.branching = 0;
  const Robot robot = oracle::random_robot(options, 6);
  const auto merged_with = [&robot](const Robot& other) {
    Moments moments = zero_moments(plan_of(robot));
    return add(moments, zero_moments(plan_of(other)));
  };
  EXPECT_TRUE(merged_with(robot).ok());
  Robot renamed = robot, moved = robot;
  renamed.bodies.back().name += "_other";
  moved.bodies.back().X_parent_body.translation().x() += 1e-3;  // regroups differently
  for (const Robot& other : {renamed, moved}) {
    const Result<Done> merged = merged_with(other);
    ASSERT_FALSE(merged.ok());
    EXPECT_NE(merged.error().what.find("different"), std::string::npos);
  }
}

TEST(Moments, OfColumnsThatDifferInWidthOrExpressionNeverMerge) {
  const Robot robot = oracle::random_robot({}, 6);
  const auto moments_with = [&](double width, const char* definition) {
    Column column{.name = "friction", .definition = definition};
    column.terms = {{.channel = 0, .feature = core::Feature::tanh_velocity, .width = width}};
    return zero_moments(*make_regressor_plan(robot, default_channels(robot), {column}));
  };
  Moments moments = moments_with(0.05, "");
  EXPECT_TRUE(add(moments, moments_with(0.05, "")).ok());
  EXPECT_FALSE(add(moments, moments_with(0.1, "")).ok());
  EXPECT_FALSE(add(moments, moments_with(0.05, "joint_1: q1^2")).ok());
}

TEST(Moments, OfDifferentFormsNeverMerge) {
  const PlanPtr plan = plan_of(oracle::random_robot({}, 6));
  const auto summed = [&](double weight) {
    return zero_moments(plan, Eigen::VectorXd::Constant(plan->num_channels(), weight));
  };
  Moments moments = summed(2), per_channel = zero_moments(plan);
  EXPECT_TRUE(add(moments, summed(2)).ok());
  EXPECT_FALSE(add(moments, summed(3)).ok());
  EXPECT_FALSE(add(moments, per_channel).ok());
  EXPECT_FALSE(add(per_channel, moments).ok());
}

TEST(Moments, ChannelOfWeightZeroLeavesNoTrace) {
  const PlanPtr plan = plan_of(oracle::random_robot({}, 9));
  auto backend = make_backend({.kind = BackendKind::cpu});
  MomentAccumulator accumulator(plan, **backend);
  ASSERT_TRUE(accumulator.push(0, testing::random_samples(*plan, 100, 9).samples).ok());
  Moments moments = *accumulator.finish();
  Eigen::VectorXd weights = Eigen::VectorXd::Ones(plan->num_channels());
  weights[0] = 0;
  const NormalEquations without = normal_equations(moments, weights);
  const core::ChannelEntry entry = plan->channel_entries[0];
  std::fill_n(moments.packed.begin() + entry.packed_offset, core::packed_triangle(entry.width),
              NAN);
  const NormalEquations poisoned = normal_equations(moments, weights);
  EXPECT_EQ(poisoned.G, without.G);
  EXPECT_EQ(poisoned.b, without.b);
  EXPECT_EQ(poisoned.tau2, without.tau2);
  EXPECT_GT(without.G.trace(), 0);
  EXPECT_LT(without.num_rows,
            normal_equations(moments, Eigen::VectorXd::Ones(plan->num_channels())).num_rows);
}

TEST(Moments, ResidualSumIsThatOfTheRows) {
  const PlanPtr plan = plan_of(oracle::random_robot({}, 12));
  const testing::RandomSamples data = testing::random_samples(*plan, 200, 12);
  auto backend = make_backend({.kind = BackendKind::cpu});
  MomentAccumulator accumulator(plan, **backend);
  ASSERT_TRUE(accumulator.push(0, data.samples).ok());
  const Moments moments = *accumulator.finish();
  oracle::Random random(12);
  const Eigen::VectorXd x = random.normal_vector(plan->layout.num_parameters());
  for (int c = 0; c < plan->num_channels(); ++c) {
    double expected = 0;
    for (int t = 0; t < data.samples.size(); ++t)
      if (data.samples.weight(t, c) != 0)
        expected += std::pow(
            testing::oracle_rows(*plan, data, t).row(c).dot(x) - data.samples.torque(t, c), 2);
    EXPECT_GT(expected, 0);
    EXPECT_NEAR(residual_sum(moments, c, x), expected, 1e-11 * expected);
  }
}

TEST(Moments, ScoresOfAChannelAreThoseOfItsRows) {
  const PlanPtr plan = plan_of(oracle::random_robot({}, 13));
  const testing::RandomSamples data = testing::random_samples(*plan, 200, 13);
  auto backend = make_backend({.kind = BackendKind::cpu});
  MomentAccumulator accumulator(plan, **backend);
  ASSERT_TRUE(accumulator.push(0, data.samples).ok());
  const Moments moments = *accumulator.finish();
  oracle::Random random(13);
  const Eigen::VectorXd x = random.normal_vector(plan->layout.num_parameters());
  for (int c = 0; c < plan->num_channels(); ++c) {
    Eigen::VectorXd predicted = Eigen::VectorXd::Zero(x.size()), score = predicted;
    for (int t = 0; t < data.samples.size(); ++t) {
      if (data.samples.weight(t, c) == 0) continue;
      const Eigen::VectorXd row = testing::oracle_rows(*plan, data, t).row(c);
      predicted += row.dot(x) * row;
      score += (data.samples.torque(t, c) - row.dot(x)) * row;
    }
    const ChannelScores found = channel_scores(moments, c, x);
    EXPECT_GT(score.norm(), 0);
    EXPECT_LT((found.predicted - predicted).norm(), 1e-11 * predicted.norm());
    EXPECT_LT((found.score - score).norm(), 1e-11 * (score.norm() + predicted.norm()));
  }
}

TEST(MomentForest, AddsBuddiesLikeABinaryCounter) {
  // with these numbers every order but ((a+b)+(c+d))+e gives another result
  const double values[5] = {1.0, 1e16, -1e16, 3.0, 1e-3};
  MomentForest forest(1);
  for (const double value : values) forest.push(&value);
  std::vector<double> total = {0.0};
  forest.add_to(total);
  volatile double left = values[0] + values[1], right = values[2] + values[3];
  volatile double four = left + right;
  EXPECT_EQ(total[0], 0.0 + (four + values[4]));
}

}  // namespace
}  // namespace heft
