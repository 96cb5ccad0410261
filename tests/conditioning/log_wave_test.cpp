// Logs conditioned together, by the functions of the device's kernels on one thread of the host,
// against condition_log(). tests/device_on_host runs the kernels themselves.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <random>

#include "conditioning/log_wave.hpp"
#include "heft/log/arrays.hpp"
#include "kernels/condition/condition_logs.hpp"
#include "kernels/condition/wave_layout.hpp"
#include "tests/conditioning/log_test_support.hpp"

namespace heft {
namespace {

/// Conditions segments as a device does, one after the other.
class HostConditioner final : public DeviceConditioner {
 public:
  std::string description() const override { return "host"; }
  bool takes(const RawSegment& segment) const override { return segment.num_rows() <= most_rows; }
  DeviceWork work() const override { return work_; }

  Result<std::vector<ConditionedSegment>> condition(std::span<const RawSegment> segments) override {
    if (is_gone) return Error{"the device", "is gone", ""};
    const cuda::WaveLayout layout(segments);
    std::vector<double> arena(static_cast<std::size_t>(layout.num_bytes()) / sizeof(double) + 1,
                              std::numeric_limits<double>::quiet_NaN());
    auto* const begin = reinterpret_cast<std::byte*>(arena.data());
    layout.write(begin, begin);
    for (std::size_t s = 0; s < segments.size(); ++s) {
      kernels::LogTask task;
      std::memcpy(&task, begin + layout.tasks_begin() + s * sizeof task, sizeof task);
      run(task);
    }
    ++work_.launches;
    std::vector<ConditionedSegment> conditioned = layout.read(begin + layout.first_down());
    for (ConditionedSegment& segment : conditioned) segment.num_uniform += misplaced;
    return conditioned;
  }

  bool is_gone = false;
  int misplaced = 0;  ///< uniform rows found in excess
  std::int64_t most_rows = 1 << 30;

 private:
  static void run(const kernels::LogTask& task) {
    kernels::place_rows(task);
    for (int value = 0; value < task.num_values; ++value)
      EXPECT_EQ(kernels::condition_value(task, value), 0U);
    *task.num_kept = kernels::kept_rows(task);
    ASSERT_EQ(*task.num_kept, task.max_kept);
    for (long long k = 0; k < task.max_kept; ++k) {
      const long long i = task.trim + k * task.keep_every;
      task.sample_time[k] = task.uniform_time[i];
      for (int c = 0; c < task.num_coordinates; ++c) kernels::put_motion(task, k, i, c);
      for (int c = 0; c < task.num_channels; ++c)
        if (const auto reason = kernels::put_torque(task, k, i, c);
            reason != core::DropReason::none)
          ++task.num_dropped[static_cast<int>(reason)];
    }
  }

  DeviceWork work_;
};

/// A log of two joints in memory.
struct Recording {
  Eigen::ArrayXd time;
  Eigen::ArrayXXd position, torque;
  ConditioningRun run{arm_of({"shoulder", "elbow"})};

  explicit Recording(int num_rows, double jitter = 0)
      : time(num_rows), position(num_rows, 2), torque(num_rows, 2) {
    std::mt19937_64 random(static_cast<std::uint64_t>(num_rows));
    std::uniform_real_distribution<double> late(-jitter, jitter);
    for (int row = 0; row < num_rows; ++row) {
      time[row] = (row + late(random)) / 250;
      for (int k = 0; k < 2; ++k) {
        position(row, k) = std::sin(0.05 * row * (1 + 0.3 * k) + k);
        torque(row, k) = std::cos(0.03 * row + 2 * k);
      }
    }
    run.options.lowpass_hz = 20;
  }
  Log log() const { return array_log("of " + std::to_string(time.size()), time, position, torque); }
};

Conditioned handed_on(LogWave& wave, std::size_t k) {
  Conditioned out{Error{}, {}, {}};
  out.summary = wave.hand_on(k, [&](int segment, const Samples& block) -> Result<Done> {
    out.segments.push_back(segment);
    out.blocks.push_back(block);
    return Done{};
  });
  return out;
}

/// Equal blocks, whose numbers may differ by the order of roundings.
void expect_equal(const Conditioned& found, const Conditioned& expected) {
  ASSERT_TRUE(expected.ok()) << expected.error();
  ASSERT_TRUE(found.ok()) << found.error();
  EXPECT_EQ(found.segments, expected.segments);
  EXPECT_EQ(found.summary->dropped, expected.summary->dropped);
  EXPECT_EQ(found.summary->num_samples, expected.summary->num_samples);
  EXPECT_EQ(found.summary->num_interpolated, expected.summary->num_interpolated);
  EXPECT_EQ(found.summary->num_segments, expected.summary->num_segments);
  EXPECT_EQ(found.summary->sha256, expected.summary->sha256);
  ASSERT_EQ(found.blocks.size(), expected.blocks.size());
  for (std::size_t b = 0; b < found.blocks.size(); ++b) {
    ASSERT_EQ(found.blocks[b].size(), expected.blocks[b].size());
    EXPECT_TRUE((found.blocks[b].time == expected.blocks[b].time).all());
    for_each_array(found.blocks[b], [&](const SampleArray& array, const Eigen::ArrayXXd& numbers) {
      const Eigen::ArrayXXd& other = expected.blocks[b].*array.member;
      ASSERT_EQ(numbers.size(), other.size()) << array.name;
      if (other.size() == 0) return;
      EXPECT_LE((numbers - other).abs().maxCoeff<Eigen::PropagateNaN>(),
                1e-10 * other.abs().maxCoeff())
          << array.name;
    });
  }
}

TEST(LogWave, LogsOfAllLengthsAreConditionedTogether) {
  HostConditioner device;
  LogWave wave(device);
  std::vector<Recording> recordings;
  for (const int num_rows : {50, 400, 40'000, 100'000})
    recordings.emplace_back(num_rows, num_rows == 400 ? 0.2 : 0);
  recordings[0].run.options.trim = 3;
  recordings[1].run.options.resample_hz = 200;
  recordings[1].run.options.keep_every = 3;
  recordings[2].time.tail(100) += 5;                    // a pause
  recordings[3].torque.block(70'000, 0, 40, 2) = kNaN;  // in several windows
  recordings[3].run.options.dead_band = {0.1};
  recordings[3].run.options.torque_limit = {0.99};
  for (const Recording& recording : recordings) wave.add(recording.log(), recording.run.reading());
  ASSERT_TRUE(wave.condition().ok());
  EXPECT_EQ(device.work().launches, 1);
  for (std::size_t k = 0; k < recordings.size(); ++k) {
    SCOPED_TRACE(recordings[k].time.size());
    EXPECT_EQ(wave.why_on_host(k), "");
    expect_equal(handed_on(wave, k), recordings[k].run(recordings[k].log()));
  }
  EXPECT_GT(wave.host_cpu_s(), 0);
}

TEST(LogWave, ABadLogFailsAlone) {
  HostConditioner device;
  LogWave wave(device);
  Recording good(300), without_numbers(200), backward(200);
  without_numbers.position.setConstant(kNaN);
  backward.time[100] = 0;
  for (const Recording* recording : {&without_numbers, &good, &backward})
    wave.add(recording->log(), recording->run.reading());
  ASSERT_TRUE(wave.condition().ok());
  const Conditioned nothing = handed_on(wave, 0), wrong = handed_on(wave, 2);
  EXPECT_EQ(nothing.error(), without_numbers.run(without_numbers.log()).error());
  EXPECT_EQ(wrong.error(), backward.run(backward.log()).error());
  EXPECT_FALSE(nothing.ok());
  EXPECT_FALSE(wrong.ok());
  expect_equal(handed_on(wave, 1), good.run(good.log()));
}

TEST(LogWave, OtherLogsAreLeftToTheHostWithAReason) {
  HostConditioner device;
  device.most_rows = 3'000;
  LogWave wave(device);
  Recording filtered_rows(300), momentum(300), known(300), extra(300), long_one(4'000), good(300);
  filtered_rows.run.options.filter_rows = true;
  momentum.run.options.rows = "momentum";
  known.run.derived.known_torque[0] = "2 * qd1";
  extra.run.derived.signals = {"q1"};
  const std::vector<std::pair<const Recording*, std::string>> reasons = {
      {&filtered_rows, "filter_rows"}, {&momentum, "momentum"}, {&known, "expressions"},
      {&extra, "expressions"},         {&long_one, "memory"},   {&good, ""}};
  for (const auto& [recording, reason] : reasons)
    wave.add(recording->log(), recording->run.reading());
  ASSERT_TRUE(wave.condition().ok());
  for (std::size_t k = 0; k < reasons.size(); ++k) {
    const std::string why = wave.why_on_host(k);
    EXPECT_EQ(why.empty(), reasons[k].second.empty()) << why;
    EXPECT_NE(why.find(reasons[k].second), std::string::npos) << why;
  }
}

TEST(LogWave, ManyRowsOfFewSamplesAreLeftToTheHost) {
  HostConditioner device;
  LogWave wave(device);
  Recording recording(1'700'000);  // 5 numbers each
  recording.run.options.keep_every = 1000;
  wave.add(recording.log(), recording.run.reading());
  ASSERT_TRUE(wave.condition().ok());
  EXPECT_EQ(device.work().launches, 0);
  EXPECT_NE(wave.why_on_host(0).find("64 MB"), std::string::npos) << wave.why_on_host(0);
}

TEST(LogWave, RowsThatRoundingPlacesDifferentlyAreLeftToTheHost) {
  HostConditioner device;
  device.misplaced = 1;
  LogWave wave(device);
  const Recording recording(300);
  wave.add(recording.log(), recording.run.reading());
  ASSERT_TRUE(wave.condition().ok());
  EXPECT_NE(wave.why_on_host(0), "");
}

TEST(LogWave, ADeviceThatIsGoneIsAnError) {
  HostConditioner device;
  device.is_gone = true;
  LogWave wave(device);
  const Recording recording(300);
  wave.add(recording.log(), recording.run.reading());
  EXPECT_FALSE(wave.condition().ok());
}

}  // namespace
}  // namespace heft
