// Segments of logs conditioned by the threads of a device (kernels/condition), compared with
// condition_log(), which tests/conditioning compares with closed forms. The remainder is the order
// of roundings. Every barrier, guard and bound that the kernels hold is removed once, too.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <random>

#include "kernels/condition/log_task.hpp"
#include "signal/savitzky_golay.hpp"
#include "tests/conditioning/log_test_support.hpp"
#include "tests/device_on_host/kernel_run.hpp"

namespace heft::device_on_host {

const Module& module_conditioning_on_device();

namespace {

using kernels::FilterSection;
using kernels::LogTask;
using kernels::LowPass;
using kernels::TorqueChannel;
using kernels::ValueColumn;

constexpr int kJoints = 2;
constexpr double kUnset = std::numeric_limits<double>::quiet_NaN();

/// A log and its options; columns: positions, velocities if they are used, torques.
struct LogCase {
  std::string name;
  ConditioningOptions options;
  LogFormat format;
  double rate_hz = 250;
  int num_rows = 240;
  double jitter = 0;                              ///< of stamps, in periods
  std::vector<std::pair<int, int>> missing = {};  ///< rows and torque without a number
  int room = 0;  ///< rows of the device's memory, if it is too small
  /// Uniform rows and samples, for a log of which the device makes none that can be used.
  std::optional<std::pair<long long, long long>> counts = {};

  bool is_logged() const { return options.velocity == VelocitySource::logged; }
  int num_motions() const { return is_logged() ? 2 * kJoints : kJoints; }
  int num_values() const { return num_motions() + kJoints; }
};

LogCase plain_case() {
  LogCase log{.name = "even"};
  log.options.torque_delay_s = 0.0053;
  log.options.lowpass_hz = 20;
  return log;
}

/// Interpolated, with velocities, delays per joint, units, a dead band, a limit and gaps.
LogCase full_case() {
  LogCase log{.name = "full", .num_rows = 330, .jitter = 0.2};
  log.options.resample_hz = 200;
  log.options.butterworth_order = 3;
  log.options.lowpass_hz = 15;
  log.options.torque_lowpass_hz = 12;
  log.options.dead_band_lowpass_hz = 9;
  log.options.velocity = VelocitySource::logged;
  log.options.torque_delay_s.in_order = {0.004, -0.0117};
  log.options.dead_band = {0.3, 0.05};
  log.options.torque_limit = {1.6, 1.3};
  log.options.keep_every = 3;
  log.format.position_scale.in_order = {2, -0.5};
  log.format.position_offset.in_order = {0.1, 0.2};
  log.format.torque_scale.in_order = {1.5, -1};
  log.format.torque_offset.in_order = {0, 0.25};
  log.missing = {{0, 0}, {1, 0}, {100, 0}, {101, 0}, {102, 0}, {150, 1}, {329, 1}};
  return log;
}

/// Lost rows of an even log, differences for the dead band, whole delays.
LogCase window_case() {
  LogCase log{.name = "window", .rate_hz = 100, .num_rows = 130};
  log.options.filter = FilterKind::savitzky_golay;
  log.options.savgol_window = 11;
  log.options.dead_band = {0.4};
  log.options.torque_delay_s.in_order = {0.02, 0};
  log.options.trim = 3;
  log.options.keep_every = 2;
  log.missing = {{60, 0}};
  return log;
}

LogCase unfiltered_case() {
  LogCase log{.name = "unfiltered", .num_rows = 90};
  log.options.filter = FilterKind::none;
  log.options.trim = 0;
  log.missing = {{20, 1}, {21, 1}};
  return log;
}

/// More rows than the device has memory for: an error that the host can see.
LogCase crowded_case() {
  LogCase log{.name = "crowded", .num_rows = 60, .room = 40, .counts = {{41, 38}}};
  log.options.trim = 1;
  log.options.torque_delay_s = 0.004;
  return log;
}

/// Shorter than what is trimmed.
LogCase short_case() {
  LogCase log{.name = "short", .num_rows = 30, .counts = {{30, 0}}};
  log.options.trim = 20;
  return log;
}

std::vector<LogCase> cases() {
  return {plain_case(),      full_case(),    window_case(),
          unfiltered_case(), crowded_case(), short_case()};
}

/// The numbers of a log as it is recorded.
struct Recorded {
  std::vector<double> time, values;  ///< rows x num_values, a row after the other
};

Recorded record(const LogCase& log, int seed) {
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  std::normal_distribution<double> noise(0, 0.05);
  std::uniform_real_distribution<double> jitter(-log.jitter, log.jitter);
  Recorded recorded;
  for (int row = 0; row < log.num_rows; ++row) {
    if (log.name == "window" && (row == 40 || row == 41)) continue;  // lost
    recorded.time.push_back((row + jitter(random)) / log.rate_hz);
    for (int value = 0; value < log.num_values(); ++value)
      recorded.values.push_back(std::sin(0.05 * row * (1 + 0.3 * value) + value) + noise(random));
    for (const auto& [missing, torque] : log.missing)
      if (missing == row)
        recorded.values[recorded.values.size() - kJoints + static_cast<std::size_t>(torque)] = kNaN;
  }
  return recorded;
}

/// What condition_log() makes of it.
class ConditioningOnDevice : public LogTest {
 protected:
  Conditioned on_host(const LogCase& log, const Recorded& recorded) const {
    const std::string header = log.is_logged() ? "t,q1,q2,qd1,qd2,tau1,tau2" : "t,q1,q2,tau1,tau2";
    const int n = log.num_values();
    std::vector<std::function<double(int)>> columns = {
        [&](int row) { return recorded.time[static_cast<std::size_t>(row)]; }};
    for (int value = 0; value < n; ++value)
      columns.emplace_back([&recorded, n, value](int row) {
        return recorded.values[static_cast<std::size_t>(row * n + value)];
      });
    ConditioningRun run{arm_of({"shoulder", "elbow"})};
    run.options = log.options;
    run.format = log.format;
    return run(
        write(table(header, static_cast<int>(recorded.time.size()), columns), log.name + ".csv"));
  }
};

/// The number of a joint: of all joints, or of each in order; `other` without numbers.
double joint_of(const std::vector<double>& numbers, std::size_t joint, double other) {
  return numbers.empty() ? other : numbers[numbers.size() == 1 ? 0 : joint];
}

/// A segment in memory of the device, with room for its samples.
class SegmentOnDevice {
 public:
  SegmentOnDevice(const LogCase& log, const Recorded& recorded, double period) : log_(log) {
    put_rows(recorded, period);
    put_filters();
    put_channels();
    put_samples();
  }

  const LogTask& task() const { return task_; }
  std::vector<double> read(const double* numbers, int columns) const {
    return find(numbers).read<double>(static_cast<std::size_t>(columns * task_.max_kept));
  }
  template <class Number>
  std::vector<Number> counts(const Number* numbers, std::size_t count) const {
    return find(numbers).template read<Number>(count);
  }

 private:
  template <class T>
  T* add(const std::vector<T>& values) {
    memory_.push_back(std::make_unique<DeviceArray>(values));
    return reinterpret_cast<T*>(memory_.back()->address());
  }
  template <class T>
  T* add_unwritten(long long count) {
    memory_.push_back(std::make_unique<DeviceArray>(static_cast<std::size_t>(count) * sizeof(T)));
    return reinterpret_cast<T*>(memory_.back()->address());
  }
  const DeviceArray& find(const void* begin) const {
    return **std::find_if(memory_.begin(), memory_.end(), [&](const auto& array) {
      return array->address() == reinterpret_cast<std::uint64_t>(begin);
    });
  }

  void put_rows(const Recorded& recorded, double period) {
    task_.time = add(recorded.time);
    task_.values = add(recorded.values);
    task_.num_rows = static_cast<long long>(recorded.time.size());
    task_.num_values = log_.num_values();
    task_.num_motions = log_.num_motions();
    task_.is_even = log_.options.resample_hz > 0 ? 0 : 1;
    task_.period = period;
    task_.tolerance = period * (task_.is_even != 0 ? 1e-3 : 1e-9);
    task_.max_uniform = log_.room > 0 ? log_.room : log_.num_rows + 5;
    task_.row_of = add_unwritten<long long>(task_.max_uniform);
    task_.share = add_unwritten<double>(task_.max_uniform);
    task_.uniform_time = add_unwritten<double>(task_.max_uniform);
    task_.num_uniform = add(std::vector<long long>{0});
  }

  LowPass low_pass(double cutoff_hz) {
    const ConditioningOptions& options = log_.options;
    LowPass filter{};
    if (options.filter == FilterKind::butterworth) {
      std::vector<FilterSection> sections;
      for (const Biquad& s :
           butterworth_lowpass(options.butterworth_order, cutoff_hz * task_.period))
        sections.push_back({s.b0, s.b1, s.b2, s.a1, s.a2});
      filter.sections = add(sections);
      filter.num_sections = static_cast<int>(sections.size());
      filter.padding = padding_samples(options.butterworth_order);
    } else if (options.filter == FilterKind::savitzky_golay) {
      const Eigen::MatrixXd projection =
          savitzky_golay_projection(options.savgol_window, options.savgol_order);
      filter.projection =
          add(std::vector<double>(projection.data(), projection.data() + projection.size()));
      filter.window = options.savgol_window;
    }
    return filter;
  }

  void put_filters() {
    const ConditioningOptions& options = log_.options;
    const double slow = options.dead_band_lowpass_hz;
    task_.motion = low_pass(options.lowpass_hz);
    task_.torque = low_pass(options.torque_cutoff_hz());
    task_.dead_band = low_pass(slow > 0 ? slow : options.lowpass_hz);
    task_.most_padding = task_.motion.padding;
    const long long padded = (task_.max_uniform + 2 * task_.most_padding) * task_.num_values;
    task_.uniform = add_unwritten<double>(task_.max_uniform * task_.num_values);
    task_.filtered = add_unwritten<double>(padded);
    task_.slow = options.dead_band.empty() ? nullptr : add_unwritten<double>(padded);
    task_.flags = add_unwritten<std::uint32_t>(task_.max_uniform * kJoints);
    task_.guard = 50;
  }

  double delay_of(int joint) const {
    return log_.options.torque_delay_s.of("", joint) / task_.period;
  }

  void put_channels() {
    const ConditioningOptions& options = log_.options;
    const bool is_common = options.torque_delay_s.is_one();
    task_.motion_delay = is_common ? delay_of(0) : 0;
    const auto radius = [&] {
      switch (options.filter) {
        case FilterKind::butterworth:
          return static_cast<long long>(std::ceil(1 / (options.torque_cutoff_hz() * task_.period)));
        case FilterKind::savitzky_golay:
          return static_cast<long long>(options.savgol_window / 2);
        case FilterKind::none:
          break;
      }
      return 0LL;
    }();
    std::vector<TorqueChannel> channels;
    std::vector<ValueColumn> columns;
    for (int k = 0; k < task_.num_motions; ++k)
      columns.push_back({log_.format.position_scale.of("", k % kJoints),
                         k < kJoints ? log_.format.position_offset.of("", k) : 0, 0, 0});
    for (int k = 0; k < kJoints; ++k) {
      const double delay = delay_of(k) - task_.motion_delay;
      const double limit = joint_of(options.torque_limit, static_cast<std::size_t>(k), HUGE_VAL);
      columns.push_back({log_.format.torque_scale.of("", k), log_.format.torque_offset.of("", k),
                         limit, std::max(radius, delay == std::floor(delay) ? 0LL : 2LL)});
      channels.push_back({task_.num_motions + k, k, delay, 1,
                          joint_of(options.dead_band, static_cast<std::size_t>(k), 0.0)});
    }
    task_.columns = add(columns);
    task_.channels = add(channels);
    task_.num_coordinates = task_.num_channels = kJoints;
    task_.first_velocity = log_.is_logged() ? kJoints : -1;
    task_.first_acceleration = -1;
  }

  long long default_trim() const {
    const ConditioningOptions& options = log_.options;
    if (options.trim) return *options.trim;
    return static_cast<long long>(std::ceil(2 / (options.torque_cutoff_hz() * task_.period)));
  }

  void put_samples() {
    double longest = std::abs(task_.motion_delay);
    for (int k = 0; k < kJoints; ++k)
      longest = std::max(longest, std::abs(delay_of(k) - task_.motion_delay));
    task_.trim = std::max(default_trim(), static_cast<long long>(std::ceil(longest)));
    task_.keep_every = log_.options.keep_every;
    task_.max_kept = log_.room > 0 ? log_.room / 2 : task_.max_uniform;
    task_.sample_time = poisoned(1);
    task_.position = poisoned(kJoints);
    task_.velocity = poisoned(kJoints);
    task_.acceleration = poisoned(kJoints);
    task_.torque_out = poisoned(kJoints);
    task_.weight = poisoned(kJoints);
    task_.num_kept = add(std::vector<long long>{-1});
    task_.num_without_motion = add(std::vector<unsigned long long>{0});
    task_.num_dropped = add(std::vector<unsigned long long>(4, 0));
  }
  double* poisoned(int columns) {
    return add(std::vector<double>(static_cast<std::size_t>(columns * task_.max_kept), kUnset));
  }

  const LogCase& log_;
  LogTask task_{};
  std::vector<std::unique_ptr<DeviceArray>> memory_;
};

/// Samples of all segments as a device makes them.
struct DeviceSamples {
  long long num_uniform = -1, num_kept = -1;
  unsigned long long num_without_motion = 0;
  std::vector<unsigned long long> num_dropped;
  std::vector<double> time, position, velocity, acceleration, torque, weight;
};

/// Empty if a kernel went wrong.
std::vector<DeviceSamples> condition_on_device(const std::vector<LogCase>& logs,
                                               const std::vector<Recorded>& recorded,
                                               const std::vector<double>& periods,
                                               const Circumstances& circumstances = {}) {
  std::vector<std::unique_ptr<SegmentOnDevice>> segments;
  std::vector<LogTask> tasks;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    segments.push_back(std::make_unique<SegmentOnDevice>(logs[i], recorded[i], periods[i]));
    tasks.push_back(segments.back()->task());
  }
  const DeviceArray d_tasks(tasks);
  const auto num_logs = static_cast<std::uint32_t>(tasks.size());
  const Module& module = module_conditioning_on_device();
  const bool is_right = run_kernel(module, "place_rows_kernel", {1, 1, 1}, {32, 1, 1},
                                   {d_tasks.address(), num_logs}, circumstances) &&
                        run_kernel(module, "condition_values_kernel", {num_logs, 1, 1}, {4, 1, 1},
                                   {d_tasks.address()}, circumstances) &&
                        run_kernel(module, "make_samples_kernel", {num_logs, 2, 1}, {32, 1, 1},
                                   {d_tasks.address()}, circumstances);
  std::vector<DeviceSamples> samples;
  if (!is_right) return samples;
  for (const auto& segment : segments) {
    const LogTask& task = segment->task();
    samples.push_back(
        {segment->counts(task.num_uniform, 1)[0], segment->counts(task.num_kept, 1)[0],
         segment->counts(task.num_without_motion, 1)[0], segment->counts(task.num_dropped, 4),
         segment->read(task.sample_time, 1), segment->read(task.position, kJoints),
         segment->read(task.velocity, kJoints), segment->read(task.acceleration, kJoints),
         segment->read(task.torque_out, kJoints), segment->read(task.weight, kJoints)});
  }
  return samples;
}

/// The largest difference, relative to the largest number; infinite for another shape.
double difference(const Eigen::ArrayXXd& wanted, const std::vector<double>& numbers,
                  long long num_kept) {
  const auto max_kept = static_cast<Eigen::Index>(numbers.size()) / wanted.cols();
  if (wanted.rows() != num_kept || num_kept > max_kept) return HUGE_VAL;
  const Eigen::Map<const Eigen::ArrayXXd> all(numbers.data(), max_kept, wanted.cols());
  const Eigen::ArrayXXd found = all.topRows(num_kept);
  if (!found.allFinite() || !wanted.allFinite()) return HUGE_VAL;
  if (!all.bottomRows(max_kept - num_kept).isNaN().all()) return HUGE_VAL;
  return (found - wanted).abs().maxCoeff() / std::max(wanted.abs().maxCoeff(), 1e-300);
}

double difference(const Conditioned& wanted, const DeviceSamples& found) {
  const auto of = [&](Eigen::ArrayXXd Samples::* member, const std::vector<double>& numbers) {
    return difference(wanted.all(member), numbers, found.num_kept);
  };
  const bool counts_agree =
      found.num_dropped[1] == static_cast<unsigned long long>(wanted.dropped("not a number")) &&
      found.num_dropped[2] == static_cast<unsigned long long>(wanted.dropped("clipped torque")) &&
      found.num_dropped[3] == static_cast<unsigned long long>(wanted.dropped("dead band"));
  if (!counts_agree || found.num_without_motion != 0) return HUGE_VAL;
  return std::max({difference(wanted.time(), found.time, found.num_kept),
                   of(&Samples::position, found.position), of(&Samples::velocity, found.velocity),
                   of(&Samples::acceleration, found.acceleration),
                   of(&Samples::torque, found.torque), of(&Samples::weight, found.weight)});
}

/// Second differences of numbers to 1e-16 with a period of 4 ms are known to 1e-11 of the largest.
constexpr double kTolerance = 1e-10;

struct AllLogs {
  std::vector<LogCase> logs = cases();
  std::vector<Recorded> recorded;
  std::vector<Conditioned> wanted;
  std::vector<double> periods;
};

class AllLogsOnDevice : public ConditioningOnDevice {
 protected:
  void SetUp() override {
    for (std::size_t i = 0; i < all_.logs.size(); ++i) {
      all_.recorded.push_back(record(all_.logs[i], static_cast<int>(i)));
      all_.wanted.push_back(on_host(all_.logs[i], all_.recorded.back()));
      const Conditioned& wanted = all_.wanted.back();
      ASSERT_TRUE(wanted.ok() || all_.logs[i].counts) << wanted.error();
      all_.periods.push_back(wanted.ok()
                                 ? wanted.summary->sample_period_s / all_.logs[i].options.keep_every
                                 : 1 / all_.logs[i].rate_hz);
    }
  }
  /// Of a log with counts: 0 if they are right.
  double difference(std::size_t i, const DeviceSamples& found) const {
    if (!all_.logs[i].counts) return device_on_host::difference(all_.wanted[i], found);
    return std::pair(found.num_uniform, found.num_kept) == *all_.logs[i].counts ? 0 : HUGE_VAL;
  }
  double worst(const Circumstances& circumstances) const {
    const auto found = condition_on_device(all_.logs, all_.recorded, all_.periods, circumstances);
    double largest = found.empty() ? HUGE_VAL : 0;
    for (std::size_t i = 0; i < found.size(); ++i)
      largest = std::max(largest, difference(i, found[i]));
    return largest;
  }
  AllLogs all_;
};

TEST_F(AllLogsOnDevice, SamplesAreThoseOfTheHost) {
  const auto found = condition_on_device(all_.logs, all_.recorded, all_.periods);
  ASSERT_EQ(found.size(), all_.logs.size());
  EXPECT_TRUE(findings().take().empty());
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_LE(difference(i, found[i]), kTolerance) << all_.logs[i].name;
  // the cases have what they are for
  EXPECT_GT(all_.wanted[1].dropped("not a number"), 0);
  EXPECT_GT(all_.wanted[1].dropped("clipped torque"), 0);
  EXPECT_GT(all_.wanted[1].dropped("dead band"), 0);
  EXPECT_GT(all_.wanted[2].dropped("dead band"), 0);
  EXPECT_EQ(all_.wanted[2].summary->num_interpolated, 2);
  EXPECT_GT(all_.wanted[1].summary->num_interpolated, 200);
}

TEST_F(AllLogsOnDevice, OrdersOfThreadsGiveTheSameBits) {
  const auto first = condition_on_device(all_.logs, all_.recorded, all_.periods);
  const auto second = condition_on_device(all_.logs, all_.recorded, all_.periods,
                                          {.order = ThreadOrder::descending});
  ASSERT_EQ(first.size(), all_.logs.size());
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    const auto kept = static_cast<std::size_t>(first[i].num_kept);
    EXPECT_EQ(first[i].num_dropped, second[i].num_dropped);
    for (std::size_t k = 0; k < kept; ++k) {
      EXPECT_EQ(first[i].acceleration[k], second[i].acceleration[k]);
      EXPECT_EQ(first[i].torque[k], second[i].torque[k]);
    }
  }
}

TEST_F(AllLogsOnDevice, RowsWithoutMotionAreCounted) {
  all_.recorded[0].values[20 * 4 + 1] = kNaN;
  all_.recorded[0].values[30 * 4] = kNaN;
  const auto found = condition_on_device(all_.logs, all_.recorded, all_.periods);
  ASSERT_EQ(found.size(), all_.logs.size());
  EXPECT_EQ(found[0].num_without_motion, 2U);
  // one damaged log changes no other
  for (std::size_t i = 1; i < found.size(); ++i)
    EXPECT_LE(difference(i, found[i]), kTolerance) << all_.logs[i].name;
}

TEST_F(AllLogsOnDevice, RemovedGuardsAndBoundsAreFound) {
  ASSERT_LE(worst({}), kTolerance);
  ASSERT_TRUE(findings().take().empty());
  findings().print(false);
  const std::vector<Mutant>& mutants = module_conditioning_on_device().mutants;
  int num_found = 0;
  std::string survivors;
  for (int k = 0; k < static_cast<int>(mutants.size()); ++k) {
    const bool is_wrong = !(worst({.removed_mutant = k, .most_steps = 200'000}) <= kTolerance);
    if (is_wrong || !findings().take().empty()) {
      ++num_found;
      continue;
    }
    const Mutant& mutant = mutants[static_cast<std::size_t>(k)];
    survivors += std::string(mutant.kind) + " at " + mutant.place + " in " + mutant.kernel + "\n";
  }
  findings().take();
  findings().print(true);
  RecordProperty("mutants", static_cast<int>(mutants.size()));
  std::printf("%d of %zu mutants found\n%s", num_found, mutants.size(), survivors.c_str());
  EXPECT_GT(mutants.size(), 20U);
  EXPECT_GE(num_found, 0.95 * static_cast<double>(mutants.size())) << survivors;
}

}  // namespace
}  // namespace heft::device_on_host
