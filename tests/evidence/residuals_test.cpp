// Streams in blocks of any length leave the same record; sums compared with plain loops.
#include <gtest/gtest.h>

#include <random>

#include "evidence/excerpt.hpp"
#include "evidence/residual_recorder.hpp"
#include "rows/unfiltered_motion.hpp"

namespace heft {
namespace {

Samples drawn_samples(Eigen::Index count) {
  std::srand(7);
  Samples samples;
  samples.time = Eigen::ArrayXd::LinSpaced(count, 0, 0.01 * static_cast<double>(count - 1));
  samples.position = samples.velocity = samples.acceleration = Eigen::ArrayXXd::Random(count, 2);
  samples.torque = Eigen::ArrayXXd::Random(count, 2);
  samples.weight = (Eigen::ArrayXXd::Random(count, 2) > -0.8).cast<double>();
  samples.torque = (samples.weight > 0).select(samples.torque, 0.0);
  return samples;
}

TEST(ResidualRecorder, SumsMatchPlainLoopsForEveryBlockSize) {
  const Samples samples = drawn_samples(5000);
  const Eigen::ArrayXXd predicted = Eigen::ArrayXXd::Random(5000, 2);
  LogSummary log;
  log.path = "log";
  log.num_segments = 1;
  for (const Eigen::Index length : {5000, 777, 64}) {
    ResidualRecorder record;
    for (Eigen::Index at = 0; at < samples.size(); at += length) {
      const Eigen::Index count = std::min(length, samples.size() - at);
      record.push(0, rows_of(samples, at, count), predicted.middleRows(at, count));
    }
    const auto logs = record.by_log({log}, false);
    ASSERT_EQ(logs.size(), 1u);
    const ResidualBlocks& blocks = logs[0];
    EXPECT_LE(blocks.error2.rows(), ResidualBlocks::kMaxBlocks);
    EXPECT_GE(blocks.error2.rows(), ResidualBlocks::kMaxBlocks / 2 - 1);
    Eigen::Index row = 0;
    for (Eigen::Index b = 0; b < blocks.error2.rows(); ++b) {
      double rows[2] = {}, error[2] = {}, error2[2] = {}, torque2[2] = {};
      EXPECT_EQ(blocks.from_s[static_cast<std::size_t>(b)], samples.time[row]);
      for (; row < samples.size() && samples.time[row] <= blocks.to_s[static_cast<std::size_t>(b)];
           ++row)
        for (int c = 0; c < 2; ++c) {
          if (samples.weight(row, c) == 0) continue;
          const double e = samples.torque(row, c) - predicted(row, c);
          ++rows[c], error[c] += e, error2[c] += e * e,
              torque2[c] += samples.torque(row, c) * samples.torque(row, c);
        }
      for (int c = 0; c < 2; ++c) {
        EXPECT_EQ(blocks.num_rows(b, c), rows[c]);
        EXPECT_NEAR(blocks.error(b, c), error[c], 1e-12 * rows[c]);
        EXPECT_NEAR(blocks.error2(b, c), error2[c], 1e-12 * error2[c]);
        EXPECT_NEAR(blocks.torque2(b, c), torque2[c], 1e-12 * torque2[c]);
      }
    }
    EXPECT_EQ(row, samples.size());
  }
}

TEST(Excerpt, StretchesAreConsecutiveAndEvenlySpread) {
  const Samples samples = drawn_samples(20000);
  ExcerptRecorder recorder(3000);
  for (Eigen::Index at = 0; at < samples.size(); at += 640)
    recorder.push(0, rows_of(samples, at, std::min<Eigen::Index>(640, samples.size() - at)));
  const Excerpt excerpt = recorder.excerpt();
  EXPECT_LE(excerpt.num_samples(), 3000);
  EXPECT_GE(excerpt.num_samples(), 1500);
  double last = -1;
  for (const Samples& stretch : excerpt.stretches) {
    EXPECT_EQ(stretch.size(), Excerpt::kStretch);
    const auto first = static_cast<Eigen::Index>(std::lround(stretch.time[0] / 0.01));
    EXPECT_TRUE((stretch.time == samples.time.segment(first, stretch.size())).all());
    EXPECT_TRUE((stretch.torque == samples.torque.middleRows(first, stretch.size())).all());
    EXPECT_GT(stretch.time[0], last);
    last = stretch.time[stretch.size() - 1];
  }
  EXPECT_GT(last, 0.7 * samples.time[samples.size() - 1]);
}

// Rows of stretches that are dropped are not copied: what is kept does not depend on the blocks.
TEST(Excerpt, KeepsTheSameStretchesForEveryBlockSize) {
  const Samples samples = drawn_samples(21700);
  const auto stamps = [&](Eigen::Index size, int num_segments) {
    ExcerptRecorder recorder(3000);
    Eigen::Index num_asked = 0;
    for (int segment = 0; segment < num_segments; ++segment)
      for (Eigen::Index at = 0; at < samples.size(); at += size)
        recorder.push(segment, std::min(size, samples.size() - at),
                      [&](Eigen::Index first, Eigen::Index count) {
                        num_asked += count;
                        return rows_of(samples, at + first, count);
                      });
    EXPECT_LT(num_asked, samples.size() * num_segments / 2);
    std::vector<double> times;
    for (const Samples& stretch : recorder.excerpt().stretches)
      times.insert(times.end(), stretch.time.begin(), stretch.time.end());
    return times;
  };
  for (const int num_segments : {1, 3}) {
    const std::vector<double> whole = stamps(samples.size(), num_segments);
    EXPECT_GE(whole.size(), 1500u);
    for (const Eigen::Index size : {1, 499, 500, 640, 7000})
      EXPECT_EQ(stamps(size, num_segments), whole) << size;
  }
}

// A question about a stretch evaluates all of the motion behind it.
TEST(Excerpt, KeepsTheMotionThatTheFilterOfRowsUses) {
  const auto lowpass = Smoother::make({}, 12, 400, "cutoff");
  ASSERT_TRUE(lowpass.ok());
  const Eigen::Index step = 4, guard = 2 + std::max(lowpass->reach(), lowpass->min_samples());
  const Samples around = drawn_samples(6000 * step + 2 * guard);
  Samples block = drawn_samples(6000);
  block.unfiltered = std::make_shared<const UnfilteredMotion>(
      UnfilteredMotion{.samples = around, .first = guard, .step = step, .lowpass = *lowpass});
  // kept samples of a column of the motion, filtered over all that is there
  const auto filtered = [](const Samples& samples) {
    Eigen::ArrayXd column = samples.unfiltered->samples.position.col(0), scratch;
    samples.unfiltered->lowpass.apply(column, scratch);
    return Eigen::ArrayXd(
        column(Eigen::seqN(samples.unfiltered->first, samples.size(), samples.unfiltered->step)));
  };
  const Eigen::ArrayXd all = filtered(block);
  for (const Eigen::Index first : {0, 2500, 5500}) {
    const Samples stretch = rows_of(block, first, 500);
    EXPECT_LE(stretch.unfiltered->samples.size(), 500 * step + 2 * guard + 1);
    EXPECT_TRUE(filtered(stretch).allFinite() && all.allFinite());
    EXPECT_LT((filtered(stretch) - all.segment(first, 500)).abs().maxCoeff(), 1e-12);
  }
}

}  // namespace
}  // namespace heft
