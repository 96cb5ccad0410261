#include "uniform_clock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "readers/pause.hpp"
#include "readers/source_over.hpp"
#include "stamp_resolution.hpp"
#include "stamp_source.hpp"

namespace heft {

namespace {

constexpr std::int64_t kChunkRows = kProbedSteps + 1;
constexpr std::int64_t kMaxChunkRows = 4 * kChunkRows;  ///< of all groups together
constexpr double kLostRow = 1.9;   ///< steps between the largest and the smallest deviation where a
                                   ///< row is lost
constexpr double kOffLine = 0.72;  ///< steps that a stamp may be off the line it continues

/// The line fitted to the clock of a group.
struct Line {
  ClockReport report;
  double longest_step = 0;  ///< [s], a longer one is a pause
  bool has_begun = false;
  double last_stamp = 0, last_time = 0;  ///< [s], of the last row, as logged and as handed out
};

class UniformClock final : public SourceOver {
 public:
  UniformClock(SourcePtr source, const LogFormat& format, double max_gap_s,
               std::shared_ptr<ClockReport> report)
      : SourceOver(std::move(source)),
        time_scale_(format.time_scale),
        rate_hz_(format.rate_hz),
        max_gap_s_(max_gap_s),
        report_(std::move(report)),
        lines_(groups_.size()) {}

  Result<Done> select(const std::vector<std::vector<int>>& columns) override {
    places_ = clock_places(groups_, columns);
    return source_->select(columns);
  }
  Result<bool> next(ColumnBlock& block) override;
  double fraction_read() const override { return fraction_.value_or(source_->fraction_read()); }

 private:
  void read_chunk();
  void judge();
  void rebuild();
  std::vector<double> stamps_of(int group) const;
  std::vector<std::vector<double>> signals_of(int group) const;
  std::int64_t line_of(int group, std::size_t row) const;
  std::vector<double> uniform(int group, const std::vector<double>& stamps);
  std::vector<double> counted(Line& line, const std::vector<double>& stamps) const;
  void put_back(int group, const std::vector<double>& time);
  bool is_any_rebuilt() const;

  double time_scale_, rate_hz_, max_gap_s_;
  std::shared_ptr<ClockReport> report_;
  std::vector<int> places_;  ///< of the clocks among the columns selected
  std::vector<Line> lines_;  ///< of every group
  bool is_judged_ = false, has_ended_ = false;
  std::deque<std::pair<ColumnBlock, double>> chunk_;  ///< with the fraction read
  std::optional<double> fraction_;
  std::optional<Error> error_;  ///< that came after the rows of the chunk
};

void UniformClock::read_chunk() {
  std::int64_t of_first = 0, of_all = 0;
  while (!has_ended_ && of_first < kChunkRows && of_all < kMaxChunkRows) {
    ColumnBlock block;
    const auto found = source_->next(block);
    if (!found) error_ = found.error();
    has_ended_ = !found || !*found;
    if (has_ended_) return;
    of_all += block.num_rows;
    if (block.group == 0) of_first += block.num_rows;
    chunk_.emplace_back(std::move(block), source_->fraction_read());
  }
}

std::vector<double> UniformClock::stamps_of(int group) const {
  std::vector<double> stamps;
  const auto place = static_cast<std::size_t>(places_[static_cast<std::size_t>(group)]);
  for (const auto& [block, fraction] : chunk_)
    for (std::int64_t row = 0; block.group == group && row < block.num_rows; ++row)
      stamps.push_back(block.columns[place][row] * time_scale_);
  return stamps;
}

std::vector<std::vector<double>> UniformClock::signals_of(int group) const {
  const auto place = static_cast<std::size_t>(places_[static_cast<std::size_t>(group)]);
  std::vector<std::vector<double>> signals;
  for (const auto& [block, fraction] : chunk_) {
    if (block.group != group) continue;
    signals.resize(block.columns.size());
    for (std::size_t c = 0; c < block.columns.size(); ++c)
      for (std::int64_t row = 0; c != place && row < block.num_rows; ++row)
        signals[c].push_back(block.columns[c][row]);
  }
  if (place < signals.size()) signals.erase(signals.begin() + static_cast<std::ptrdiff_t>(place));
  return signals;
}

std::int64_t UniformClock::line_of(int group, std::size_t row) const {
  for (const auto& [block, fraction] : chunk_) {
    if (block.group != group) continue;
    if (row < block.lines.size()) return block.lines[row];
    row -= block.lines.size();
  }
  return 0;
}

void UniformClock::judge() {
  is_judged_ = true;
  for (std::size_t g = 0; g < lines_.size(); ++g) {
    if (places_[g] < 0) continue;
    const auto group = static_cast<int>(g);
    const std::vector<double> stamps = stamps_of(group);
    if (stamps.size() < 2) continue;
    Line& line = lines_[g];
    line.longest_step = longest_step(stamps, max_gap_s_);
    if (rate_hz_ > 0)
      line.report = {ClockState::rebuilt, 0, 1 / rate_hz_, 0};
    else
      line.report = judge_stamps(
          stamps, [&] { return signals_of(group); }, max_gap_s_);
    if (g == 0 && !(rate_hz_ > 0)) *report_ = line.report;
  }
}

bool UniformClock::is_any_rebuilt() const {
  return std::any_of(lines_.begin(), lines_.end(),
                     [](const Line& line) { return line.report.state == ClockState::rebuilt; });
}

// Assigns times one period apart regardless of the stamps, except at pauses.
std::vector<double> UniformClock::counted(Line& line, const std::vector<double>& stamps) const {
  const double pause =
      max_gap_s_ > 0 ? max_gap_s_ : std::max(line.longest_step, kPauseInSteps / rate_hz_);
  std::vector<double> time;
  for (const double stamp : stamps) {
    const double step = stamp - line.last_stamp;
    if (!line.has_begun) line.last_time = std::isfinite(stamp) ? stamp : 0;
    if (line.has_begun) line.last_time += step > pause ? step : line.report.period_s;
    line.has_begun = true;
    line.last_stamp = stamp;
    time.push_back(line.last_time);
  }
  return time;
}

std::vector<double> UniformClock::uniform(int group, const std::vector<double>& stamps) {
  Line& line = lines_[static_cast<std::size_t>(group)];
  if (rate_hz_ > 0) return counted(line, stamps);
  const double period = line.report.period_s, step = line.report.step_s;
  std::vector<double> time = stamps;
  for (const StampRun& run : runs_without_pause(stamps, line.longest_step)) {
    const auto count = static_cast<double>(run.last - run.first);
    const bool continues =
        run.first == 0 && line.has_begun && stamps[0] - line.last_stamp <= line.longest_step;
    double first = stamps[run.first] + middle_deviation(stamps, run, period), each = period;
    if (continues) {
      const auto deviation = [&](double of_each) {
        double largest = 0;
        for (std::size_t k = run.first; k <= run.last; ++k)
          largest = std::max(largest, std::abs(stamps[k] - line.last_time -
                                               static_cast<double>(k - run.first + 1) * of_each));
        return largest;
      };
      // a period known from so many rows is off by less than one step over as many more
      const double reach = 2 * step / std::max(count, 1.0);
      double low = period - reach, high = period + reach;
      each = period;
      if (deviation(period) > kOffLine * step) {
        for (int i = 0; i < 60; ++i) {
          const double a = low + (high - low) / 3, b = high - (high - low) / 3;
          (deviation(a) < deviation(b) ? high : low) = deviation(a) < deviation(b) ? b : a;
        }
        each = 0.5 * (low + high);
      }
      if (deviation(each) <= kOffLine * step) {
        first = line.last_time + each;
      } else {
        each = period;
        first = std::max(first, line.last_time + 0.5 * period);
        if (group == 0 && report_->state != ClockState::uncertain)
          report_->state = ClockState::uncertain, report_->line = line_of(group, run.first);
      }
      line.report.period_s = each;
    } else if (line.has_begun && width_of(stamps, run, period) > kLostRow * step && group == 0) {
      report_->state = ClockState::uncertain;
      report_->line = line_of(group, run.first);
    }
    for (std::size_t k = run.first; k <= run.last; ++k)
      time[k] = first + static_cast<double>(k - run.first) * each;
    line.has_begun = true;
    line.last_stamp = stamps[run.last];
    line.last_time = time[run.last];
  }
  return time;
}

void UniformClock::put_back(int group, const std::vector<double>& time) {
  std::size_t at = 0;
  for (auto& [block, fraction] : chunk_) {
    if (block.group != group) continue;
    std::vector<double> stamps;
    for (std::int64_t row = 0; row < block.num_rows; ++row)
      stamps.push_back(time[at++] / time_scale_);
    replace_column(block, places_[static_cast<std::size_t>(group)], stamps);
  }
}

void UniformClock::rebuild() {
  for (std::size_t g = 0; g < lines_.size(); ++g) {
    const auto group = static_cast<int>(g);
    if (lines_[g].report.state != ClockState::rebuilt) continue;
    const std::vector<double> stamps = stamps_of(group);
    const bool is_sound = rate_hz_ > 0 || (std::is_sorted(stamps.begin(), stamps.end()) &&
                                           std::none_of(stamps.begin(), stamps.end(),
                                                        [](double t) { return std::isnan(t); }));
    // readers of the log refuse stamps that go backward
    if (is_sound && !stamps.empty()) put_back(group, uniform(group, stamps));
  }
}

Result<bool> UniformClock::next(ColumnBlock& block) {
  if (chunk_.empty() && !error_ && !has_ended_ && (!is_judged_ || is_any_rebuilt())) {
    read_chunk();
    if (!is_judged_) judge();
    rebuild();
  }
  if (!chunk_.empty()) {
    block = std::move(chunk_.front().first);
    fraction_ = chunk_.front().second;
    chunk_.pop_front();
    return true;
  }
  fraction_.reset();
  if (error_) return *error_;
  if (has_ended_) return false;
  return source_->next(block);
}

}  // namespace

Result<SourcePtr> with_uniform_clock(SourcePtr source, const LogFormat& format, double max_gap_s,
                                     std::shared_ptr<ClockReport> report) {
  if (format.rate_hz > 0 && source->groups().size() > 1)
    return Error{"log.rate_hz", "sets one rate for a log with several clocks",
                 "remove it, or give a log whose columns share one clock"};
  return SourcePtr(
      std::make_unique<UniformClock>(std::move(source), format, max_gap_s, std::move(report)));
}

}  // namespace heft
