#include "readers/join.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <optional>
#include <unordered_map>

#include "base/median.hpp"
#include "files/name_hint.hpp"
#include "readers/clock.hpp"
#include "readers/pause.hpp"
#include "readers/source_over.hpp"

namespace heft {

namespace {

constexpr std::size_t kProbedRows = 1000;     ///< of a group that its pauses are judged from
constexpr std::size_t kProbedWait = 1 << 14;  ///< rows of the first group that may wait for that
constexpr std::size_t kMaxWaiting = std::size_t{1} << 22;  ///< numbers that wait for other groups:
                                                           ///< 32 MB
constexpr std::size_t kBlockRows = 256;

/// Unused rows of a group: time [s], stamp as logged, values without the clock.
class WaitingRows {
 public:
  explicit WaitingRows(double time_scale) : clock(time_scale) {}

  Clock clock;
  std::size_t clock_place = 0;  ///< among the columns selected
  std::size_t num_values = 0;
  bool is_selected = false;
  double max_gap = std::numeric_limits<double>::infinity();  ///< [s]

  std::size_t size() const { return lines_.size(); }
  double time(std::size_t row) const { return numbers_[row * width()]; }
  double stamp(std::size_t row) const { return numbers_[row * width() + 1]; }
  double value(std::size_t row, std::size_t k) const { return numbers_[row * width() + 2 + k]; }
  std::int64_t line(std::size_t row) const { return lines_[row]; }
  std::size_t memory() const { return numbers_.size() + lines_.size(); }  ///< in numbers

  void push(double time, const ColumnBlock& block, std::int64_t row) {
    numbers_.push_back(time);
    numbers_.push_back(block.columns[clock_place][row]);
    for (std::size_t k = 0; k < block.columns.size(); ++k)
      if (k != clock_place) numbers_.push_back(block.columns[k][row]);
    lines_.push_back(block.lines[static_cast<std::size_t>(row)]);
  }
  void pop() {
    numbers_.erase(numbers_.begin(), numbers_.begin() + static_cast<std::ptrdiff_t>(width()));
    lines_.pop_front();
  }

 private:
  std::size_t width() const { return 2 + num_values; }

  std::deque<double> numbers_;
  std::deque<std::int64_t> lines_;
};

class JoinedSource final : public SourceOver {
 public:
  static Result<SourcePtr> make(SourcePtr source, const JoinOptions& options);

  Result<Done> select(const std::vector<std::vector<int>>& columns) override;
  Result<bool> next(ColumnBlock& block) override;
  using SourceOver::where;
  std::string where(int, std::int64_t line) const override { return source_->where(0, line); }

 private:
  JoinedSource(SourcePtr source, const JoinOptions& options)
      : SourceOver(std::move(source)), options_(options) {
    groups_.assign(1, {});
  }
  Result<Done> fill(ColumnBlock& block);
  Result<Done> read_block();
  Result<Done> take(const ColumnBlock& block);
  Result<Done> probe();
  bool is_next_ready() const;
  void append_row(ColumnBlock& block);
  static void append_values(const WaitingRows& group, double time, std::vector<double>& numbers);

  struct Origin {
    int group, column;
  };

  JoinOptions options_;
  std::vector<Origin> origins_;  ///< of the joined columns
  std::vector<WaitingRows> waiting_;
  bool hands_out_clock_ = false;
  std::size_t clock_slot_ = 0;  ///< of the first group's clock among the columns handed out
  ColumnBlock read_;
  bool has_ended_ = false;
  bool is_probed_ = false;
  std::optional<Error> error_;  ///< that came after the rows last handed out
};

Result<SourcePtr> JoinedSource::make(SourcePtr source, const JoinOptions& options) {
  std::unique_ptr<JoinedSource> joined(new JoinedSource(std::move(source), options));
  const std::vector<ColumnGroup>& groups = joined->source_->groups();
  ColumnGroup& table = joined->groups_.front();
  std::unordered_map<std::string, std::string> group_of;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].clock < 0)
      return Error{joined->where(),
                   fmt::format("the columns of '{}' have no clock", groups[g].name),
                   name_hint("", groups[g].columns, "set log.time to its time column; it has")};
    for (std::size_t k = 0; k < groups[g].columns.size(); ++k) {
      const bool is_clock = static_cast<int>(k) == groups[g].clock;
      if (is_clock && g > 0) continue;
      if (is_clock) table.clock = static_cast<int>(k);
      const std::string& name = groups[g].columns[k];
      if (const auto [other, is_new] = group_of.emplace(name, groups[g].name);
          !is_new && !name.empty())
        return Error{joined->where(),
                     fmt::format("'{}' and '{}' both have a column '{}'", other->second,
                                 groups[g].name, name),
                     "rename one of them"};
      table.columns.push_back(name);
      joined->origins_.push_back({static_cast<int>(g), static_cast<int>(k)});
    }
  }
  return SourcePtr(std::move(joined));
}

Result<Done> JoinedSource::select(const std::vector<std::vector<int>>& columns) {
  const std::vector<ColumnGroup>& groups = source_->groups();
  std::vector<std::vector<int>> selected(groups.size());
  for (const int k : columns.front()) {
    const Origin origin = origins_[static_cast<std::size_t>(k)];
    if (origin.group > 0 || origin.column != groups[0].clock)
      selected[static_cast<std::size_t>(origin.group)].push_back(origin.column);
  }
  const auto clock =
      std::lower_bound(columns.front().begin(), columns.front().end(), groups_.front().clock);
  clock_slot_ = static_cast<std::size_t>(clock - columns.front().begin());
  hands_out_clock_ = clock != columns.front().end() && *clock == groups_.front().clock;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    WaitingRows& group = waiting_.emplace_back(options_.time_scale);
    group.num_values = selected[g].size();
    group.is_selected = g == 0 || group.num_values > 0;
    if (options_.max_gap_s > 0) group.max_gap = options_.max_gap_s;
    if (!group.is_selected) continue;
    const auto place = std::lower_bound(selected[g].begin(), selected[g].end(), groups[g].clock);
    group.clock_place = static_cast<std::size_t>(place - selected[g].begin());
    selected[g].insert(place, groups[g].clock);
  }
  return source_->select(selected);
}

// Whether every other group has a row at or after the next leading row, or has ended.
bool JoinedSource::is_next_ready() const {
  if (waiting_.front().size() == 0) return false;
  const double time = waiting_.front().time(0);
  return std::all_of(waiting_.begin() + 1, waiting_.end(), [&](const WaitingRows& group) {
    return !group.is_selected || has_ended_ || !(time > group.clock.time());
  });
}

Result<bool> JoinedSource::next(ColumnBlock& block) {
  if (error_) return *error_;
  block.group = 0;
  block.numbers.clear();
  block.lines.clear();
  const auto filled = fill(block);
  block.num_rows = static_cast<std::int64_t>(block.lines.size());
  block.columns.clear();
  const std::size_t width = block.num_rows > 0 ? block.numbers.size() / block.lines.size() : 0;
  for (std::size_t k = 0; k < width; ++k)
    block.columns.push_back({block.numbers.data() + k, static_cast<std::int64_t>(width)});
  if (!filled) error_ = filled.error();
  if (error_ && block.num_rows == 0) return *error_;
  return block.num_rows > 0;
}

Result<Done> JoinedSource::fill(ColumnBlock& block) {
  HEFT_CHECK(probe());
  while (block.lines.size() < kBlockRows) {
    while (!is_next_ready() && !has_ended_) HEFT_CHECK(read_block());
    if (waiting_.front().size() == 0) break;
    append_row(block);
    waiting_.front().pop();
  }
  return Done{};
}

// Reads until the pauses of every group can be judged, as a log's are: by the median of its first
// steps.
Result<Done> JoinedSource::probe() {
  if (is_probed_) return Done{};
  is_probed_ = true;
  const auto is_known = [&](const WaitingRows& group) {
    return !group.is_selected || group.size() > kProbedRows;
  };
  while (!has_ended_ && waiting_.front().size() < kProbedWait &&
         !std::all_of(waiting_.begin() + 1, waiting_.end(), is_known))
    HEFT_CHECK(read_block());
  for (auto group = waiting_.begin() + 1; group != waiting_.end(); ++group) {
    const std::size_t num_rows = std::min(group->size(), kProbedRows + 1);
    if (options_.max_gap_s > 0 || num_rows < 2) continue;
    std::vector<double> steps;
    for (std::size_t k = 1; k < num_rows; ++k) steps.push_back(group->time(k) - group->time(k - 1));
    group->max_gap = kPauseInSteps * median(steps);
  }
  return Done{};
}

Result<Done> JoinedSource::read_block() {
  HEFT_TRY(found, source_->next(read_));
  has_ended_ = !found;
  return found ? take(read_) : Done{};
}

Result<Done> JoinedSource::take(const ColumnBlock& block) {
  WaitingRows& group = waiting_[static_cast<std::size_t>(block.group)];
  for (std::int64_t row = 0; row < block.num_rows; ++row) {
    const double stamp = block.columns[group.clock_place][row];
    if (block.group == 0) {
      // readers of the joined rows check that the leading clock increases
      group.push(stamp * options_.time_scale, block, row);
      continue;
    }
    HEFT_TRY(advanced, group.clock.advance(stamp, [&] {
      return source_->where(block.group, block.lines[static_cast<std::size_t>(row)]);
    }));
    if (advanced) group.push(group.clock.time(), block, row);
  }
  std::size_t memory = 0, largest = 0;
  for (std::size_t g = 0; g < waiting_.size(); ++g) {
    memory += waiting_[g].memory();
    if (waiting_[g].memory() > waiting_[largest].memory()) largest = g;
  }
  if (memory <= kMaxWaiting) return Done{};
  return Error{
      name_,
      fmt::format("'{}' has {} rows for which another group of columns has no time yet",
                  source_->groups()[largest].name, waiting_[largest].size()),
      "check the units and zeros of the clocks, or cut the log to the time that all groups cover"};
}

// The next leading row with the other groups interpolated at its time.
void JoinedSource::append_row(ColumnBlock& block) {
  const WaitingRows& leading = waiting_.front();
  for (std::size_t k = 0; k <= leading.num_values; ++k) {
    if (hands_out_clock_ && k == clock_slot_) block.numbers.push_back(leading.stamp(0));
    if (k < leading.num_values) block.numbers.push_back(leading.value(0, k));
  }
  for (auto group = waiting_.begin() + 1; group != waiting_.end(); ++group) {
    if (!group->is_selected) continue;
    // the last row at or before this one, and those behind it, may be wanted again
    while (group->size() > 1 && group->time(1) <= leading.time(0)) group->pop();
    append_values(*group, leading.time(0), block.numbers);
  }
  block.lines.push_back(leading.line(0));
}

void JoinedSource::append_values(const WaitingRows& group, double time,
                                 std::vector<double>& numbers) {
  const std::size_t end = numbers.size() + group.num_values;
  if (group.size() > 0 && group.time(0) == time) {
    for (std::size_t k = 0; k < group.num_values; ++k) numbers.push_back(group.value(0, k));
  } else if (group.size() > 1 && group.time(0) < time && time < group.time(1) &&
             group.time(1) - group.time(0) <= group.max_gap) {
    const double share = (time - group.time(0)) / (group.time(1) - group.time(0));
    for (std::size_t k = 0; k < group.num_values; ++k)
      numbers.push_back(group.value(0, k) + share * (group.value(1, k) - group.value(0, k)));
  }
  numbers.resize(end, std::nan(""));
}

}  // namespace

Result<SourcePtr> join_groups(SourcePtr source, const JoinOptions& options) {
  if (source->groups().size() == 1) return source;
  return JoinedSource::make(std::move(source), options);
}

}  // namespace heft
