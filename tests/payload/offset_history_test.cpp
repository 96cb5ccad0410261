// Events during a log: offsets that jump and drift, distinguished from bodies that change, from
// pushes and from noise.
#include <gtest/gtest.h>

#include "host/applications/payload/checks/offset_history.hpp"
#include "tests/payload/tool.hpp"

namespace heft {
namespace {

using namespace payload_test;
using payload::history_of;
using payload::jumps_in;
using payload::LogHistory;
using payload::split_at_jumps;

const Vector6d kJump = (Vector6d() << 3, -2, 0, 0, 0.1, 0).finished();

Record jumping(Record record, Eigen::Index at, const Vector6d& by) {
  record.wrench.bottomRows(record.wrench.rows() - at).rowwise() += by.transpose().array();
  return record;
}

TEST(OffsetHistory, NothingHappensInACleanLog) {
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    for (const double seconds : {2.0, 12.0}) {
      const LogHistory history = history_of(samples_of(with_noise(shaken(seconds), seed)), {});
      EXPECT_TRUE(history.changes.empty() && history.jumps.empty() && !history.drift)
          << seed << " " << seconds;
    }
}

TEST(OffsetHistory, JumpsAreFoundToTheSample) {
  const auto jumps = jumps_in(
      samples_of(jumping(jumping(with_noise(shaken(10), 1), 310, kJump), 655, -2 * kJump)), {});
  ASSERT_EQ(jumps.size(), 2U);
  EXPECT_NEAR(jumps[0].time, 3.095, 0.011);
  EXPECT_NEAR(jumps[1].time, 6.545, 0.011);
  EXPECT_LE((jumps[0].by - kJump).cwiseAbs().maxCoeff(), 0.1);
  EXPECT_LE((jumps[1].by + 2 * kJump).cwiseAbs().maxCoeff(), 0.2);
}

TEST(OffsetHistory, OneOfSeveralLogsJumps) {
  const WrenchSamples logs =
      *concatenated({samples_of(with_noise(shaken(6), 1)),
                     samples_of(jumping(with_noise(shaken(6), 2), 200, kJump))});
  const LogHistory history = history_of(logs, {});
  ASSERT_EQ(history.jumps.size(), 1U);
  EXPECT_EQ(history.jumps[0].log, 1);
  EXPECT_NEAR(history.jumps[0].time, 1.995, 0.011);
}

TEST(OffsetHistory, AnotherBodyIsNotAJump) {
  Record record = with_noise(shaken(12), 3);
  const Record heavy = shaken(12, {{2.0, {0.02, 0.01, 0.08}}});
  const Record light = shaken(12);
  record.wrench.bottomRows(600) += (heavy.wrench - light.wrench).bottomRows(600);
  const LogHistory history = history_of(samples_of(record), {});
  EXPECT_EQ(history.changes.size(), 1U);
  EXPECT_TRUE(history.jumps.empty());
  EXPECT_FALSE(history.drift);
}

TEST(OffsetHistory, APushIsNotAJump) {
  Record record = with_noise(shaken(12), 4);
  for (Eigen::Index i = 400; i < 500; ++i)
    record.wrench(i, 0) += 30 * std::sin(M_PI * 0.01 * static_cast<double>(i - 400));
  const LogHistory history = history_of(samples_of(record), {});
  EXPECT_TRUE(history.jumps.empty());
  EXPECT_FALSE(history.drift);
}

TEST(OffsetHistory, ADriftInALogThatMoves) {
  Record record = with_noise(shaken(30), 5);
  for (Eigen::Index i = 0; i < record.wrench.rows(); ++i)
    record.wrench(i, 1) += 3 * (1 - std::exp(-0.001 * static_cast<double>(i)));
  const LogHistory history = history_of(samples_of(record), {});
  EXPECT_TRUE(history.jumps.empty());
  ASSERT_TRUE(history.drift);
  EXPECT_NEAR(history.drift->by[1], 3 * (1 - std::exp(-3.0)), 0.2);
  const auto fixed = weigh_payload(payload::with_drift(samples_of(record), {}),
                                   {.bias = BiasKind::drift}, *read_payload_shape({}));
  ASSERT_TRUE(fixed.ok()) << fixed.error().message();
  EXPECT_LE(fixed->mass.low, truth_of()[0]);
  EXPECT_GE(fixed->mass.high, truth_of()[0]);
  EXPECT_FALSE(has_open_doubt(fixed->doubts));
}

TEST(OffsetHistory, PartsHaveTheOffsetsOfTheirTimes) {
  const WrenchSamples parts = *split_at_jumps(samples_of(shaken(3)), {1.0, 2.0});
  ASSERT_EQ(parts.segments.size(), 3U);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(parts.segments[k].begin, static_cast<Eigen::Index>(100 * k));
    EXPECT_EQ(parts.segments[k].size, 100);
    EXPECT_EQ(parts.segments[k].offset, static_cast<int>(k));
  }
  EXPECT_FALSE(split_at_jumps(samples_of(shaken(3)), {2.0, 1.0}).ok());
  EXPECT_FALSE(split_at_jumps(samples_of(shaken(3)), {5.0}).ok());
}

}  // namespace
}  // namespace heft
