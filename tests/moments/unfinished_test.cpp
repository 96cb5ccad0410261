// A sum that stops after any block, passes through a file and continues in another accumulator has
// the bits of one that never stopped: totals, row counts and stretches.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "heft/executor/executor.hpp"
#include "heft/training/training_data.hpp"
#include "rows/whitening.hpp"
#include "tests/conformance/random_samples.hpp"
#include "tests/oracle/random_robot.hpp"

namespace heft {
namespace {

Samples stretch_of(const Samples& s, std::int64_t from, std::int64_t count) {
  const auto part = [&](const Eigen::ArrayXXd& array) -> Eigen::ArrayXXd {
    return array.size() > 0 ? array.middleRows(from, count).eval() : array;
  };
  return {.time = s.time.segment(from, count),
          .position = part(s.position),
          .velocity = part(s.velocity),
          .acceleration = part(s.acceleration),
          .base_motion = part(s.base_motion),
          .torque = part(s.torque),
          .weight = part(s.weight),
          .signal = part(s.signal)};
}

struct Block {
  int segment;
  Samples samples;
};

struct Sum {
  Moments total;
  std::vector<MomentStretch> stretches;
};

Sum finish(MomentAccumulator& accumulator) {
  Moments total = *accumulator.finish();
  return {std::move(total), accumulator.take_stretches()};
}

void expect_same_bits(const Sum& sum, const Sum& expected, const std::string& where) {
  EXPECT_EQ(sum.total.packed, expected.total.packed) << where;
  EXPECT_EQ(sum.total.num_rows, expected.total.num_rows) << where;
  ASSERT_EQ(sum.stretches.size(), expected.stretches.size()) << where;
  for (std::size_t i = 0; i < sum.stretches.size(); ++i) {
    EXPECT_EQ(sum.stretches[i].num_samples, expected.stretches[i].num_samples) << where;
    EXPECT_EQ(sum.stretches[i].moments.packed, expected.stretches[i].moments.packed) << where;
    EXPECT_EQ(sum.stretches[i].moments.num_rows, expected.stretches[i].moments.num_rows) << where;
  }
}

class Unfinished : public ::testing::Test {
 protected:
  Unfinished()
      : path_(std::filesystem::temp_directory_path() /
              ("heft_unfinished_" + std::to_string(getpid()) + ".heft")) {}
  ~Unfinished() override { std::filesystem::remove(path_); }

  void make_plan(bool floating_base) {
    const Robot robot = oracle::random_robot(
        {.min_bodies = 3, .max_bodies = 3, .floating_base = floating_base}, floating_base ? 3 : 2);
    const std::vector<Channel> channels = default_channels(robot);
    plan_ = *make_regressor_plan(robot, channels, testing::columns_of_every_kind(robot, channels));
  }

  /// Samples whose signals remember: a state that friction leaves behind, z' = qd (1 - |z|), and
  /// one that only grows.
  Samples samples_with_memory(int count, std::uint64_t seed) const {
    Samples samples = testing::random_samples(*plan_, count, seed).samples;
    double z = 0, path = 0;
    for (int t = 0; t < count; ++t) {
      z += 0.02 * samples.velocity(t, 0) * (1 - std::abs(z));
      path += 0.001 * std::abs(samples.velocity(t, 0));
      samples.signal(t, 0) = z;
      samples.signal(t, 1) = path;
    }
    return samples;
  }

  /// Two segments in blocks of unequal lengths, which are multiples of no chunk, and an empty one.
  std::vector<Block> blocks_of(int first, int second) const {
    std::vector<Block> blocks;
    int segment = 0;
    for (const int count : {first, second}) {
      const Samples samples = samples_with_memory(count, 7 + segment);
      std::int64_t length = 1;
      for (std::int64_t from = 0; from < count; from += length, length = length * 2 + 3) {
        if (length > 3000) length = 777;
        length = std::min<std::int64_t>(length, count - from);
        blocks.push_back({segment, stretch_of(samples, from, length)});
      }
      blocks.push_back({segment, stretch_of(samples, 0, 0)});
      ++segment;
    }
    return blocks;
  }

  /// What comes back from the file must be whole, whatever the memory held before.
  UnfinishedMoments through_the_file(const UnfinishedMoments& state) const {
    EXPECT_TRUE(write_unfinished_moments_file({.plan = plan_}, state, path_).ok());
    auto read = read_unfinished_moments_file(path_);
    EXPECT_TRUE(read.ok()) << read.error().message();
    return read->sums;
  }

  void check_every_boundary(const PlanPtr& plan, const AccumulateOptions& options,
                            const std::vector<Block>& blocks) {
    auto backend = make_backend({.kind = BackendKind::cpu, .threads = 1});
    auto other = make_backend({.kind = BackendKind::cpu, .threads = 3});
    MomentAccumulator whole(plan, **backend, options), chain(plan, **backend, options),
        asked(plan, **backend, options);
    for (const Block& block : blocks) ASSERT_TRUE(whole.push(block.segment, block.samples).ok());
    const Sum expected = finish(whole);
    double largest = 0;
    for (const double sum : expected.total.packed) largest = std::max(largest, std::abs(sum));
    ASSERT_TRUE(largest > 0 && std::isfinite(largest));
    for (std::size_t k = 0; k <= blocks.size(); ++k) {
      const std::string where = "stopped after " + std::to_string(k) + " blocks";
      // one that goes on after a snapshot, one that goes on from it, one that does so at every
      // boundary
      const auto state = asked.snapshot();
      ASSERT_TRUE(state.ok());
      auto resumed = MomentAccumulator::resume(through_the_file(*state), **other);
      ASSERT_TRUE(resumed.ok()) << resumed.error().message();
      for (std::size_t i = k; i < blocks.size(); ++i)
        ASSERT_TRUE(resumed->push(blocks[i].segment, blocks[i].samples).ok());
      expect_same_bits(finish(*resumed), expected, where);
      auto next = MomentAccumulator::resume(*chain.snapshot(), **backend);
      ASSERT_TRUE(next.ok());
      chain = std::move(*next);
      if (k == blocks.size()) break;
      ASSERT_TRUE(asked.push(blocks[k].segment, blocks[k].samples).ok());
      ASSERT_TRUE(chain.push(blocks[k].segment, blocks[k].samples).ok());
    }
    expect_same_bits(finish(asked), expected, "asked at every boundary");
    expect_same_bits(finish(chain), expected, "resumed at every boundary");
  }

  std::filesystem::path path_;
  PlanPtr plan_;
};

TEST_F(Unfinished, GoesOnToTheSameBitsAfterEveryBlock) {
  for (const bool floating : {false, true}) {
    make_plan(floating);
    check_every_boundary(plan_, {}, blocks_of(11000, 2500));
  }
}

TEST_F(Unfinished, OfFewStretches) {
  make_plan(false);
  check_every_boundary(plan_, {.most_stretches = 16}, blocks_of(5000, 900));
}

TEST_F(Unfinished, InTheSummedForm) {
  make_plan(false);
  Eigen::VectorXd weights = Eigen::VectorXd::LinSpaced(plan_->num_channels(), 0.3, 2.1);
  check_every_boundary(plan_, {.channel_weights = weights}, blocks_of(5000, 900));
}

TEST_F(Unfinished, InSinglePrecision) {
  make_plan(false);
  check_every_boundary(plan_, {.precision = core::Precision::fp32}, blocks_of(5000, 900));
}

TEST_F(Unfinished, OfWhitenedRows) {
  make_plan(false);
  const int n = plan_->num_channels();
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Identity(n, n) * 2;
  covariance(0, n - 1) = covariance(n - 1, 0) = 0.7;
  check_every_boundary(whitened_plan(plan_), {.covariance = covariance}, blocks_of(5000, 300));
}

TEST_F(Unfinished, DoesNotPassForFinished) {
  make_plan(false);
  auto backend = make_backend({.kind = BackendKind::cpu});
  MomentAccumulator accumulator(plan_, **backend);
  ASSERT_TRUE(accumulator.push(0, samples_with_memory(100, 1)).ok());
  through_the_file(*accumulator.snapshot());
  const auto finished = read_moments_file(path_);
  ASSERT_FALSE(finished.ok());
  EXPECT_EQ(finished.error().where, path_.string());
  EXPECT_NE(finished.error().what.find("an unfinished sum"), std::string::npos);
}

TEST_F(Unfinished, OfSizesThatDoNotFitIsRefused) {
  make_plan(false);
  auto backend = make_backend({.kind = BackendKind::cpu});
  MomentAccumulator accumulator(plan_, **backend);
  ASSERT_TRUE(accumulator.push(0, samples_with_memory(2510, 1)).ok());
  const UnfinishedMoments state = *accumulator.snapshot();
  ASSERT_GT(state.pending.size(), 0);
  const auto is_refused = [&](auto&& spoil) {
    UnfinishedMoments spoiled = state;
    spoil(spoiled);
    return !MomentAccumulator::resume(std::move(spoiled), **backend).ok();
  };
  EXPECT_FALSE(is_refused([](UnfinishedMoments&) {}));
  EXPECT_TRUE(is_refused([](UnfinishedMoments& s) { s.total.packed.pop_back(); }));
  EXPECT_TRUE(
      is_refused([](UnfinishedMoments& s) { s.stretches[3].moments.num_rows.push_back(0); }));
  EXPECT_TRUE(is_refused([](UnfinishedMoments& s) { s.trees.back().resize(3); }));
  EXPECT_TRUE(is_refused([](UnfinishedMoments& s) { s.trees.resize(63); }));
  EXPECT_TRUE(is_refused(
      [](UnfinishedMoments& s) { s.pending.velocity.conservativeResize(s.pending.size(), 1); }));
  EXPECT_TRUE(is_refused([](UnfinishedMoments& s) { s.pending.weight.resize(0, 0); }));
  EXPECT_TRUE(is_refused([](UnfinishedMoments& s) { s.pending.signal.resize(0, 0); }));
  EXPECT_TRUE(is_refused([](UnfinishedMoments& s) { s.has_row_stage.reset(); }));
  EXPECT_TRUE(is_refused([](UnfinishedMoments& s) { s.has_row_stage = true; }));
  EXPECT_TRUE(is_refused([](UnfinishedMoments& s) { s.stretch_length = 0; }));
  EXPECT_TRUE(is_refused([](UnfinishedMoments& s) { s.options.most_stretches = 2; }));
  EXPECT_TRUE(is_refused([](UnfinishedMoments& s) { s.segment_begin = -8; }));
  EXPECT_TRUE(is_refused([](UnfinishedMoments& s) { s.segment_begin = 0; }));  // more is pending
                                                                               // than a chunk of 8
}

}  // namespace
}  // namespace heft
