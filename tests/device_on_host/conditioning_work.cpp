#include "tests/device_on_host/conditioning_work.hpp"

#include <cmath>
#include <limits>
#include <memory>
#include <random>

#include "conditioning/log_wave.hpp"
#include "heft/log/arrays.hpp"
#include "kernels/condition_cuda.hpp"

namespace heft::testing {

namespace {

/// Second differences of numbers to 1e-16 with a period of 4 ms are known to 1e-11 of the largest.
constexpr double kSamples = 1e-10;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// A log in memory, and how it is read.
struct RecordedLog {
  Robot robot;
  std::vector<Channel> channels;
  LogFormat format;
  ConditioningOptions options;
  DerivedSignals derived;
  Eigen::ArrayXd time;
  Eigen::ArrayXXd position, velocity, torque;

  Log log() const {
    return array_log("log of " + std::to_string(time.size()), time, position, torque, velocity);
  }
  LogReading reading() const { return {robot, channels, format, options, derived}; }
};
using RecordedLogPtr = std::shared_ptr<RecordedLog>;

/// Rows of sines at this rate, with noise, whose stamps jitter by a share of a period.
RecordedLogPtr recorded(int num_joints, int num_rows, double rate_hz, double jitter = 0) {
  auto log = std::make_shared<RecordedLog>();
  std::mt19937_64 random(static_cast<std::uint64_t>(num_rows));
  std::normal_distribution<double> noise(0, 0.05);
  std::uniform_real_distribution<double> late(-jitter, jitter);
  for (int k = 0; k < num_joints; ++k) {
    const std::string name = "joint" + std::to_string(k);
    log->robot.coordinates.push_back({.name = name});
    log->channels.push_back({.name = name, .unit = "N m", .coordinate = k});
  }
  log->time.resize(num_rows);
  for (auto* array : {&log->position, &log->velocity, &log->torque})
    array->resize(num_rows, num_joints);
  for (int row = 0; row < num_rows; ++row) {
    log->time[row] = (row + late(random)) / rate_hz;
    for (int k = 0; k < num_joints; ++k) {
      log->position(row, k) = std::sin(0.05 * row * (1 + 0.3 * k) + k) + noise(random);
      log->velocity(row, k) = std::cos(0.04 * row * (1 + 0.2 * k) + k) + noise(random);
      log->torque(row, k) = std::sin(0.03 * row + 2 * k) + noise(random);
    }
  }
  return log;
}

/// Evenly sampled, with one delay, a pause and a segment that is too short.
RecordedLogPtr even_log() {
  RecordedLogPtr log = recorded(2, 260, 250);
  log->options.torque_delay_s = 0.0053;
  log->options.lowpass_hz = 20;
  log->time.tail(120) += 1;
  log->time.tail(5) += 2;
  return log;
}

/// Interpolated, with velocities, delays per joint, units, a dead band, a limit and gaps.
RecordedLogPtr full_log() {
  RecordedLogPtr log = recorded(2, 330, 250, 0.2);
  log->options.resample_hz = 200;
  log->options.butterworth_order = 3;
  log->options.lowpass_hz = 15;
  log->options.torque_lowpass_hz = 12;
  log->options.dead_band_lowpass_hz = 9;
  log->options.velocity = VelocitySource::logged;
  log->options.torque_delay_s.in_order = {0.004, -0.0117};
  log->options.dead_band = {0.3, 0.05};
  log->options.torque_limit = {0.9, 0.8};
  log->options.keep_every = 3;
  log->format.position_scale.in_order = {2, -0.5};
  log->format.torque_scale.in_order = {1.5, -1};
  for (const int row : {0, 1, 100, 101, 102}) log->torque(row, 0) = kNaN;
  for (const int row : {150, 329}) log->torque(row, 1) = kNaN;
  log->position(240, 0) = kNaN;  // ends a segment
  return log;
}

/// Of another robot, smoothed by polynomials, with lost rows and a torque that is not used.
RecordedLogPtr window_log() {
  RecordedLogPtr log = recorded(3, 130, 100);
  log->options.filter = FilterKind::savitzky_golay;
  log->options.savgol_window = 11;
  log->options.dead_band = {0.4};
  log->options.torque_delay_s.in_order = {0.02, 0, 0.01};
  log->options.trim = 3;
  log->options.keep_every = 2;
  log->options.excluded_joints = {"joint2"};
  log->derived.torque_gain[1] = 1.25;
  log->time.tail(90) += 0.02;
  log->torque(60, 0) = kNaN;
  return log;
}

/// Unfiltered, in several blocks.
RecordedLogPtr unfiltered_log() {
  RecordedLogPtr log = recorded(1, 300, 250);
  log->options.filter = FilterKind::none;
  log->options.trim = 0;
  log->options.window = 64;
  log->torque(20, 0) = log->torque(21, 0) = kNaN;
  return log;
}

/// Without a position that is a number: an error of this log alone.
RecordedLogPtr broken_log() {
  RecordedLogPtr log = recorded(2, 80, 250);
  log->position.setConstant(kNaN);
  return log;
}

/// Filtered rows: conditioned by the host.
RecordedLogPtr hosts_log() {
  RecordedLogPtr log = recorded(2, 120, 250);
  log->options.lowpass_hz = 20;
  log->options.filter_rows = true;
  return log;
}

std::vector<RecordedLogPtr> all_logs() {
  return {even_log(), full_log(), broken_log(), window_log(), hosts_log(), unfiltered_log()};
}

/// All samples of a log with the ends of its blocks and segments, and what was dropped; of an error
/// one number.
template <class Condition>
void add_numbers(const Condition& condition, Numbers& numbers) {
  const std::size_t before = numbers.size();
  const auto sink = [&](int segment, const Samples& block) -> Result<Done> {
    numbers.push_back(segment);
    numbers.insert(numbers.end(), block.time.begin(), block.time.end());
    for_each_array(block, [&](const SampleArray&, const Eigen::ArrayXXd& array) {
      numbers.insert(numbers.end(), array.reshaped().begin(), array.reshaped().end());
    });
    return Done{};
  };
  const Result<LogSummary> summary = condition(sink);
  if (!summary) {
    numbers.resize(before);
    numbers.push_back(-1);
    return;
  }
  for (const auto& [reason, rows] : summary->dropped) numbers.push_back(static_cast<double>(rows));
  for (const std::int64_t count :
       {summary->num_samples, summary->num_interpolated, std::int64_t{summary->num_segments}})
    numbers.push_back(static_cast<double>(count));
}

Numbers on_host(const std::vector<RecordedLogPtr>& logs) {
  Numbers numbers;
  for (const RecordedLogPtr& log : logs)
    add_numbers(
        [&](const BlockSink& sink) { return condition_log(log->log(), log->reading(), sink); },
        numbers);
  return numbers;
}

Result<Numbers> on_device(const std::vector<RecordedLogPtr>& logs, DeviceConditioner& device) {
  LogWave wave(device);
  for (const RecordedLogPtr& log : logs) wave.add(log->log(), log->reading());
  HEFT_CHECK(wave.condition());
  Numbers numbers;
  for (std::size_t k = 0; k < logs.size(); ++k) {
    const bool by_host = !wave.why_on_host(k).empty();
    add_numbers(
        [&](const BlockSink& sink) {
          return by_host ? condition_log(logs[k]->log(), logs[k]->reading(), sink)
                         : wave.hand_on(k, sink);
        },
        numbers);
  }
  return numbers;
}

}  // namespace

DeviceTask conditioned_logs(std::string name, std::int64_t memory_bytes) {
  const std::vector<RecordedLogPtr> logs = all_logs();
  return {std::move(name),
          [logs, memory_bytes](int runs) -> Result<Numbers> {
            HEFT_TRY(device, make_cuda_conditioner({.memory_bytes = memory_bytes}));
            Result<Numbers> last = Numbers{};
            for (int run = 0; run < runs; ++run) last = on_device(logs, *device);
            return last;
          },
          on_host(logs), kSamples};
}

}  // namespace heft::testing
