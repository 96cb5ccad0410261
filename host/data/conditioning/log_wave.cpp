#include "conditioning/log_wave.hpp"

#include <algorithm>
#include <ctime>
#include <optional>
#include <utility>

#include "conditioning/position_range.hpp"
#include "heft/core/conditioning.hpp"
#include "rows/device_conditioner.hpp"
#include "segment.hpp"
#include "segment_plan.hpp"
#include "segment_sink.hpp"
#include "uniform_grid.hpp"

namespace heft {

namespace {

// limit of the samples of a log that a source keeps by default: longer logs are streamed
constexpr std::int64_t kMaxBytesOfLog = 64'000'000;
constexpr std::int64_t kBytesOfWave = 256'000'000;
const std::string kTooLong = "its rows or samples take more than 64 MB";

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Adds the CPU time of its scope to a sum.
class CpuTimer {
 public:
  explicit CpuTimer(double& sum) : sum_(sum), start_(cpu_seconds()) {}
  ~CpuTimer() { sum_ += cpu_seconds() - start_; }
  CpuTimer(const CpuTimer&) = delete;
  CpuTimer& operator=(const CpuTimer&) = delete;

 private:
  double& sum_;
  double start_;
};

std::int64_t bytes_of_samples(const SegmentPlan& plan, std::int64_t num_uniform) {
  const std::int64_t numbers = 1 + 3 * std::int64_t{plan.num_coordinates} +
                               2 * static_cast<std::int64_t>(plan.channels.size());
  return static_cast<std::int64_t>(sizeof(double)) * numbers * plan.num_kept(num_uniform);
}

/// Memory of rows on the host until the device conditions them.
std::int64_t bytes_of_rows(const RawSegment& segment) {
  return static_cast<std::int64_t>(sizeof(double)) *
         static_cast<std::int64_t>(segment.time.size() + segment.values.size());
}

/// A segment on its way to the device.
struct WaitingSegment {
  RawSegment rows;
  /// Numbers of samples before the ends of the blocks that the host would make.
  std::vector<std::int64_t> block_ends;
};

/// Keeps the rows of a log, and counts the uniform rows that the device will make of them.
class CollectedSegments final : public SegmentSink {
 public:
  /// Sets `why_on_host` if the log turns out to be too long.
  CollectedSegments(const ReadLog& log, const LogReading& reading,
                    std::vector<WaitingSegment>& segments, std::string& why_on_host)
      : plan_(std::make_shared<const SegmentPlan>(segment_plan(log, reading))),
        reach_(log.plan),
        window_(log.plan.options.window),
        num_channels_(log.plan.num_channels()),
        dropped_(log.summary.dropped),
        clock_(grid_clock(log.base)),
        segments_(segments),
        why_on_host_(why_on_host) {}

  Result<Done> start(const LogRow& row) override {
    segments_.push_back({{.plan = plan_}, {}});
    clock_.begin(row.time);
    append(row);
    return Done{};
  }

  Result<Done> add(const LogRow& row) override {
    for (;;) {
      double time = clock_.next();
      if (!(time > clock_.last)) return time_too_large(row.time, clock_.period);
      const core::GridPlace place = clock_.place(row.time, time);
      if (place == core::GridPlace::before) break;
      num_interpolated_ += place == core::GridPlace::interpolated;
    }
    append(row);
    if (std::max(num_row_bytes_ + bytes_of_rows(segments_.back().rows),
                 num_bytes_ + bytes_of_samples(*plan_, clock_.num_placed)) <= kMaxBytesOfLog)
      return Done{};
    why_on_host_ = kTooLong;
    return Error{"", why_on_host_, ""};
  }

  Result<bool> finish() override {
    WaitingSegment& segment = segments_.back();
    segment.rows.num_uniform = clock_.num_placed;
    if (clock_.num_placed < reach_.min_rows) {
      dropped_[dropped_because::kShortSegment] += clock_.num_placed * num_channels_;
      segments_.pop_back();
      return false;
    }
    if (plan_->trim > 0) dropped_[dropped_because::kEdge] += 2 * plan_->trim * num_channels_;
    num_bytes_ += bytes_of_samples(*plan_, clock_.num_placed);
    num_row_bytes_ += bytes_of_rows(segment.rows);
    set_block_ends(segment);
    return true;
  }

  std::int64_t num_interpolated() const override { return num_interpolated_; }

 private:
  void append(const LogRow& row) {
    RawSegment& segment = segments_.back().rows;
    segment.time.push_back(row.time);
    segment.values.insert(segment.values.end(), row.values.begin(), row.values.end());
  }

  /// The windows of SegmentConditioner.
  void set_block_ends(WaitingSegment& segment) const {
    const std::int64_t num_rows = segment.rows.num_uniform, all = plan_->num_kept(num_rows);
    for (std::int64_t end = window_; num_rows >= end + reach_.lookahead; end += window_) {
      const std::int64_t before = std::max<std::int64_t>(end - plan_->trim, 0);
      segment.block_ends.push_back(
          std::min(all, (before + plan_->keep_every - 1) / plan_->keep_every));
    }
    segment.block_ends.push_back(all);
  }

  std::shared_ptr<const SegmentPlan> plan_;
  SegmentReach reach_;
  std::int64_t window_;
  std::int64_t num_channels_;
  DroppedRows& dropped_;
  core::GridClock clock_;
  std::vector<WaitingSegment>& segments_;
  std::string& why_on_host_;
  std::int64_t num_interpolated_ = 0, num_bytes_ = 0, num_row_bytes_ = 0;
};

Samples rows_of(const Samples& samples, Eigen::Index begin, Eigen::Index end) {
  Samples block{.time = samples.time.segment(begin, end - begin)};
  for_each_array(samples, [&](const SampleArray& array, const Eigen::ArrayXXd& numbers) {
    if (numbers.size() > 0) block.*array.member = numbers.middleRows(begin, end - begin);
  });
  return block;
}

void add_dropped(const ConditionedSegment& segment, DroppedRows& dropped) {
  const auto add = [&](const std::string& reason, core::DropReason because) {
    const std::int64_t rows = segment.num_dropped[static_cast<std::size_t>(because)];
    if (rows > 0) dropped[reason] += rows;
  };
  add(dropped_because::kNotANumber, core::DropReason::not_a_number);
  add(dropped_because::kClipped, core::DropReason::clipped);
  add(dropped_because::kDeadBand, core::DropReason::dead_band);
}

}  // namespace

struct LogWave::Entry {
  LogReading reading;
  std::string why_on_host = {};
  Result<LogSummary> summary = LogSummary{};
  std::vector<WaitingSegment> segments = {};
  std::vector<ConditionedSegment> conditioned = {};
};

LogWave::LogWave(DeviceConditioner& device) : device_(device) {}
LogWave::~LogWave() = default;

void LogWave::add(const Log& log, const LogReading& reading, const HearFraction& progress) {
  const CpuTimer timer(host_cpu_s_);
  logs_.push_back(std::make_unique<Entry>(Entry{reading}));
  Entry& entry = *logs_.back();
  entry.why_on_host = unsupported_on_device(reading);
  if (!entry.why_on_host.empty()) return;
  const auto collect = [&](const ReadLog& read) -> Result<std::unique_ptr<SegmentSink>> {
    entry.why_on_host = unsupported_on_device(read.plan);
    if (!entry.why_on_host.empty()) return Error{"", entry.why_on_host, ""};
    return std::unique_ptr<SegmentSink>(
        std::make_unique<CollectedSegments>(read, reading, entry.segments, entry.why_on_host));
  };
  entry.summary = read_segments(log, reading, collect, progress);
  const bool fits = std::ranges::all_of(
      entry.segments, [&](const WaitingSegment& segment) { return device_.takes(segment.rows); });
  if (!fits) entry.why_on_host = "the memory of the device is too small";
  if (!entry.why_on_host.empty() || !entry.summary) {
    entry.segments.clear();
    return;
  }
  for (const WaitingSegment& segment : entry.segments)
    num_bytes_ += std::max(bytes_of_samples(*segment.rows.plan, segment.rows.num_uniform),
                           bytes_of_rows(segment.rows));
}

bool LogWave::is_full() const {
  return num_bytes_ >= kBytesOfWave;
}

Result<Done> LogWave::condition() {
  std::vector<RawSegment> rows;
  for (const auto& log : logs_)
    for (WaitingSegment& segment : log->segments) rows.push_back(std::move(segment.rows));
  if (rows.empty()) return Done{};
  HEFT_TRY(conditioned, device_.condition(rows));
  std::size_t next = 0;
  for (const auto& log : logs_)
    for (std::size_t s = 0; s < log->segments.size(); ++s, ++next) {
      if (conditioned[next].num_uniform != rows[next].num_uniform)
        log->why_on_host = "host and device round its time stamps to different rows of the grid";
      log->conditioned.push_back(std::move(conditioned[next]));
    }
  return Done{};
}

const std::string& LogWave::why_on_host(std::size_t k) const {
  return logs_[k]->why_on_host;
}

Result<LogSummary> LogWave::hand_on(std::size_t k, const BlockSink& sink) {
  const std::unique_ptr<Entry> entry = std::exchange(logs_[k], nullptr);
  if (!entry->summary) return entry->summary.error();
  LogSummary summary = *entry->summary;
  PositionRange range;
  const auto hand_on = [&](int segment, const Samples& block) -> Result<Done> {
    {
      const CpuTimer timer(host_cpu_s_);
      HEFT_CHECK(check_finite(block));
      range.add(block.position);
      summary.num_samples += block.size();
    }
    return sink(segment, block);
  };
  for (std::size_t s = 0; s < entry->conditioned.size(); ++s) {
    const ConditionedSegment& segment = entry->conditioned[s];
    add_dropped(segment, summary.dropped);
    std::int64_t begin = 0;
    for (const std::int64_t end : entry->segments[s].block_ends) {
      if (end == begin) continue;
      const bool is_whole = begin == 0 && end == segment.samples.size();
      HEFT_CHECK(is_whole ? hand_on(static_cast<int>(s), segment.samples)
                          : hand_on(static_cast<int>(s), rows_of(segment.samples, begin, end)));
      begin = end;
    }
  }
  HEFT_CHECK(check_samples(summary, range, entry->reading));
  return summary;
}

}  // namespace heft
