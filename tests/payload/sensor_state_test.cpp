// The state of a sensor across runs and within a log: its offset, a tool that stays attached, a
// payload that changes, a clock of its own. The truth is that of point masses.
#include <gtest/gtest.h>

#include <algorithm>

#include "heft/payload/follow.hpp"
#include "heft/payload/payload.hpp"
#include "host/applications/payload/checks/changes.hpp"
#include "host/applications/payload/samples/delay.hpp"
#include "host/applications/payload/weigh_stretches.hpp"
#include "tests/payload/tool.hpp"

namespace heft {
namespace {

using namespace payload_test;

const std::vector<PointMass> kObject = {
    {0.25, {0.03, 0.0, 0.15}}, {0.15, {-0.02, 0.04, 0.18}}, {0.1, {0.0, -0.03, 0.16}}};
const Vector6d kBias = (Vector6d() << 4, -2, 7, 0.2, -0.1, 0.3).finished();

std::vector<PointMass> both() {
  std::vector<PointMass> all = kTool;
  all.insert(all.end(), kObject.begin(), kObject.end());
  return all;
}

Record biased(Record record) {
  record.wrench.rowwise() += kBias.transpose().array();
  return record;
}

/// The tool, and from the middle on the object in it.
Record grasping(double seconds) {
  Record record = shaken(seconds);
  const Record heavy = shaken(seconds, both());
  const Eigen::Index n = record.time.size();
  record.wrench.bottomRows(n / 2) = heavy.wrench.bottomRows(n / 2);
  return biased(record);
}

std::vector<std::string> ids_of(const std::vector<PayloadDoubt>& doubts) {
  std::vector<std::string> found;
  for (const PayloadDoubt& doubt : doubts) found.push_back(doubt.id);
  return found;
}

Result<PayloadResult> weighed(const Record& record, const PayloadOptions& options = {}) {
  WrenchSamples samples = samples_of(record);
  samples.gravity = record.g;
  return weigh_payload(options.sensor.tool ? without_tool(samples, *options.sensor.tool) : samples,
                       options, *read_payload_shape({}));
}

TEST(KnownTool, IsTakenOffWithItsErrors) {
  const BodyParameters tool = truth_of(), object = truth_of(kObject);
  int held = 0;
  double widest = 0;
  constexpr int kRuns = 20;
  for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
    const auto empty = weighed(biased(with_noise(shaken(3), seed)));
    ASSERT_TRUE(empty.ok()) << empty.error().message();
    ASSERT_TRUE(empty->as_tool);
    EXPECT_NEAR(empty->as_tool->parameters[0], tool[0], 0.02);
    EXPECT_LE((empty->as_tool->bias - kBias).cwiseAbs().maxCoeff(), 0.2);
    PayloadOptions options{.bias = BiasKind::none};
    options.sensor.tool = empty->as_tool;
    const auto result = weighed(biased(with_noise(shaken(3, both()), 100 + seed)), options);
    ASSERT_TRUE(result.ok()) << result.error().message();
    held += result->mass.low <= object[0] && object[0] <= result->mass.high;
    widest = std::max(widest, result->mass.high - result->mass.low);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double c = object[1 + static_cast<int>(axis)] / object[0];
      held += result->com[axis].low <= c && c <= result->com[axis].high;
    }
    // as a tool for the next run it is both together
    EXPECT_NEAR(result->as_tool->parameters[0], tool[0] + object[0], 0.02);
  }
  EXPECT_GE(held, 4 * kRuns * 88 / 100) << "of " << 4 * kRuns;
  EXPECT_LT(widest, 0.05);
}

TEST(KnownTool, WithoutItsErrorsIntervalsWouldBeTooNarrow) {
  const auto empty = weighed(biased(with_noise(shaken(3), 1)));
  PayloadOptions options{.bias = BiasKind::none};
  options.sensor.tool = empty->as_tool;
  const Record record = biased(with_noise(shaken(3, both()), 2));
  const auto honest = weighed(record, options);
  options.sensor.tool->covariance.setZero();
  const auto bold = weighed(record, options);
  EXPECT_GT(honest->mass.high - honest->mass.low, 1.2 * (bold->mass.high - bold->mass.low));
}

TEST(KnownTool, BiasOfTheLastLogHasThatLogsErrors) {
  // logs of one tool, each with an offset of its own: what is carried on is that of the last, by
  // the scatter of many runs
  constexpr int kRuns = 60, kLogs = 6;
  Vector6d squares = Vector6d::Zero();
  for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
    std::vector<WrenchSamples> logs;
    for (int log = 0; log < kLogs; ++log)
      logs.push_back(samples_of(
          biased(with_noise(shaken(3), 1000 + kLogs * seed + static_cast<std::uint64_t>(log)))));
    const auto result = weigh_payload(*concatenated(logs), {}, *read_payload_shape({}));
    ASSERT_TRUE(result.ok()) << result.error().message();
    ASSERT_TRUE(result->as_tool);
    const Vector6d variance = result->as_tool->covariance.diagonal().tail<6>();
    squares += (result->as_tool->bias - kBias).cwiseAbs2().cwiseQuotient(variance);
  }
  // of 360 squares of standard normal numbers the mean is 1 +- 0.07; they would be six times as
  // large by the errors of all logs
  EXPECT_LT((squares / kRuns).mean(), 1.6) << squares.transpose() / kRuns;
  EXPECT_GT((squares / kRuns).mean(), 0.3) << squares.transpose() / kRuns;
}

TEST(KnownTool, ErrorsOfItWidenTheIntervalsOfAStream) {
  const Record record = with_noise(shaken(6, both()), 3);
  const auto width = [&](double sd_of_tool, double sd_of_bias) {
    PayloadOptions options{.bias = BiasKind::none};
    options.sensor.tool = KnownTool{.parameters = truth_of(), .has_bias = true};
    options.sensor.tool->covariance(0, 0) = sd_of_tool * sd_of_tool;
    options.sensor.tool->covariance.diagonal().tail<6>().setConstant(sd_of_bias * sd_of_bias);
    auto follower = PayloadFollower::make(options, *read_payload_shape({}), 100);
    EXPECT_TRUE(follower.ok());
    const WrenchSamples samples = without_tool(samples_of(record), *options.sensor.tool);
    for (Eigen::Index i = 0; i < samples.size(); ++i)
      EXPECT_TRUE(follower->add(record.time[i], record.w.row(i), record.wd.row(i),
                                (record.a - record.g).row(i), samples.wrench.row(i)));
    const auto found = follower->update();
    EXPECT_TRUE(found.ok());
    return found->mass.high - found->mass.low;
  };
  const double sure = width(0, 0);
  EXPECT_LT(sure, 0.1);
  EXPECT_GT(width(0.1, 0), 2 * 1.95 * 0.1);
  EXPECT_GT(width(0, 1), 2 * sure);
}

TEST(Follow, HasOneOffsetOrNone) {
  const auto follower =
      PayloadFollower::make({.bias = BiasKind::per_segment}, *read_payload_shape({}), 100);
  ASSERT_FALSE(follower.ok());
  EXPECT_EQ(follower.error().where, "payload.bias");
}

TEST(Offset, ThatHasDriftedIsDoubted) {
  const auto empty = weighed(biased(with_noise(shaken(3), 1)));
  PayloadOptions options{.bias = BiasKind::none};
  options.sensor.tool = empty->as_tool;
  Record record = biased(with_noise(shaken(3, both()), 2));
  EXPECT_EQ(ids_of(weighed(record, options)->doubts), std::vector<std::string>{});
  record.wrench.col(0) += 1.0;
  const auto drifted = weighed(record, options);
  const auto found = ids_of(drifted->doubts);
  EXPECT_NE(std::find(found.begin(), found.end(), "offset-drifted"), found.end());
}

TEST(Offset, OfATaredPayloadIsRecognized) {
  // zero in the pose of the first sample: at rest there the sensor would show m g
  Record record = with_noise(shaken(6), 3);
  const Eigen::Vector3d g = record.g.row(0);
  const BodyParameters x = truth_of();
  Vector6d weight;
  weight << -x[0] * g, -x.segment<3>(1).cross(g);
  record.wrench.rowwise() -= weight.transpose().array();
  const auto fitted = weighed(record);
  ASSERT_TRUE(fitted.ok()) << fitted.error().message();
  EXPECT_EQ(ids_of(fitted->doubts), std::vector<std::string>{"tared-with-payload"});
  EXPECT_FALSE(fitted->doubts.front().serious);
  EXPECT_NEAR(fitted->answer().parameters[0], x[0], 0.02);
  const auto fixed = weighed(record, {.bias = BiasKind::none});
  ASSERT_TRUE(fixed.ok()) << fixed.error().message();
  const auto found = ids_of(fixed->doubts);
  EXPECT_NE(std::find(found.begin(), found.end(), "tared-with-payload"), found.end());
  EXPECT_TRUE(has_open_doubt(fixed->doubts));
  // one that was zeroed empty
  EXPECT_TRUE(weighed(with_noise(shaken(6), 3), {.bias = BiasKind::none})->doubts.empty());
}

TEST(Changes, AreFoundWhereTheyAre) {
  const Record record = with_noise(grasping(8), 1);
  const auto changes = payload::changes_in(samples_of(record), {});
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_NEAR(changes[0].time, 4, 0.15);
  EXPECT_NEAR(changes[0].before[0], truth_of()[0], 0.05);
  EXPECT_NEAR(changes[0].after[0], truth_of(both())[0], 0.05);
  const auto result = weighed(record);
  ASSERT_TRUE(result.ok()) << result.error().message();
  const auto found = ids_of(result->doubts);
  EXPECT_NE(std::find(found.begin(), found.end(), "payload-changes"), found.end());
}

TEST(Changes, AreNotSeenInOneBody) {
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    EXPECT_TRUE(payload::changes_in(samples_of(biased(with_noise(shaken(6), seed))), {}).empty())
        << seed;
  EXPECT_TRUE(payload::changes_in(samples_of(biased(shaken(6))), {}).empty());
}

TEST(Stretches, HaveABodyEachAndOneOffset) {
  const BodyParameters tool = truth_of(), object = truth_of(kObject), all = truth_of(both());
  int held = 0;
  constexpr int kRuns = 10;
  for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
    const auto result =
        payload::weigh_stretches(samples_of(with_noise(grasping(8), seed)), {4}, {},
                                 *read_payload_shape({}), {PayloadMethod::automatic});
    ASSERT_TRUE(result.ok()) << result.error().message();
    ASSERT_EQ(result->stretches.size(), 2u);
    const PayloadStretch &first = result->stretches[0], &second = result->stretches[1];
    EXPECT_NEAR(first.answer.parameters[0], tool[0], 0.02);
    EXPECT_NEAR(second.answer.parameters[0], all[0], 0.02);
    ASSERT_TRUE(second.added);
    EXPECT_NEAR(second.added->answer.parameters[0], object[0], 0.03);
    EXPECT_TRUE(second.added->answer.certificate->certified);
    held += first.mass.low <= tool[0] && tool[0] <= first.mass.high;
    held += second.mass.low <= all[0] && all[0] <= second.mass.high;
    held += second.added->mass.low <= object[0] && object[0] <= second.added->mass.high;
    EXPECT_LE((result->biases.row(0).transpose().matrix() - kBias).cwiseAbs().maxCoeff(), 0.2);
  }
  EXPECT_GE(held, 3 * kRuns * 85 / 100);
}

TEST(Stretches, ThatCannotBeAreRefused) {
  const WrenchSamples samples = samples_of(with_noise(grasping(4), 1));
  const auto refused = [&](const std::vector<double>& changes) {
    const auto result = payload::weigh_stretches(samples, changes, {}, *read_payload_shape({}),
                                                 {PayloadMethod::automatic});
    return result.ok() ? std::string() : result.error().where;
  };
  EXPECT_EQ(refused({9}), "payload.changes");
  EXPECT_EQ(refused({3, 1}), "payload.changes");
  EXPECT_EQ(refused({0.1}), "payload.changes");
}

TEST(Delay, IsFoundAndUndone) {
  Record record = with_noise(biased(shaken(8)), 5);
  constexpr Eigen::Index kLate = 4;  // samples of 10 ms
  const Eigen::Index n = record.wrench.rows();
  Eigen::ArrayXXd late = record.wrench;
  late.bottomRows(n - kLate) = record.wrench.topRows(n - kLate);
  record.wrench = late;
  const auto found = payload::estimate_delay(samples_of(record), {});
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->delay, 0.04, 0.002);
  const auto result = weighed(record);
  const auto doubts = ids_of(result->doubts);
  EXPECT_NE(std::find(doubts.begin(), doubts.end(), "wrench-delayed"), doubts.end());
  const auto straight = payload::advanced(samples_of(record), found->delay);
  ASSERT_TRUE(straight.ok());
  EXPECT_EQ(straight->size(), n - kLate - (found->delay > 0.04 ? 1 : 0));
  EXPECT_NEAR(payload::estimate_delay(*straight, {})->delay, 0, 0.002);
  const auto corrected = weigh_payload(*straight, {}, *read_payload_shape({}));
  EXPECT_TRUE(corrected->doubts.empty());
}

TEST(Delay, OfNoDelayIsZero) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const auto found = payload::estimate_delay(samples_of(biased(with_noise(shaken(6), seed))), {});
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->delay, 0, 0.003) << seed;
  }
}

}  // namespace
}  // namespace heft
