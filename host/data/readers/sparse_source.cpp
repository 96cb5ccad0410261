#include "sparse_source.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "base/median.hpp"
#include "readers/pause.hpp"
#include "readers/source_over.hpp"

namespace heft {

namespace {

constexpr std::int64_t kProbedForGaps = 1000;
constexpr std::size_t kLeastNumbers = 3;
constexpr std::size_t kMaxWaitingNumbers = std::size_t{1} << 22;  ///< numbers: 32 MB
constexpr std::size_t kSparseBlockRows = 256;

/// A column with gaps: its last number and the rows that wait for the next one.
struct Sparse {
  std::size_t slot = 0;  ///< among the columns selected
  double max_gap = 0;    ///< [s]
  double time = std::nan(""), value = std::nan("");
  std::size_t num_open = 0;  ///< rows at the end of the queue that wait for its next number
};

class SparseSource final : public SourceOver {
 public:
  SparseSource(SourcePtr source, const JoinOptions& options, std::shared_ptr<FilledRows> filled)
      : SourceOver(std::move(source)), options_(options), filled_(std::move(filled)) {}

  Result<Done> select(const std::vector<std::vector<int>>& columns) override {
    selected_ = columns.front();
    const int clock = clock_places(groups_, columns).front();
    if (clock >= 0) clock_ = static_cast<std::size_t>(clock);
    return source_->select(columns);
  }
  Result<bool> next(ColumnBlock& block) override;
  double fraction_read() const override {
    return probed_fraction_.value_or(source_->fraction_read());
  }

 private:
  struct Row {
    std::vector<double> numbers;
    std::int64_t line;
  };

  void probe();
  void judge(std::size_t slot);
  void take(const ColumnBlock& block);
  void take(Row row);
  void fill(const Sparse& column, double time, double value);
  std::size_t num_ready() const;
  void hand_out(ColumnBlock& block);

  JoinOptions options_;
  std::shared_ptr<FilledRows> filled_;
  std::vector<int> selected_;
  std::optional<std::size_t> clock_;
  bool is_probed_ = false, has_ended_ = false;
  std::deque<std::pair<ColumnBlock, double>> probe_;  ///< with the fraction read
  std::optional<double> probed_fraction_;  ///< of the block handed out, while there are such
  std::vector<Sparse> sparse_;
  std::deque<Row> rows_;
  std::optional<Error> error_;  ///< that came after the rows last handed out
};

// The first rows determine the sparse columns.
void SparseSource::probe() {
  is_probed_ = true;
  if (!clock_) return;
  for (std::int64_t num_rows = 0; num_rows < kProbedForGaps;) {
    ColumnBlock block;
    const auto found = source_->next(block);
    if (!found) error_ = found.error();
    if (!found || !*found) {
      has_ended_ = true;
      break;
    }
    num_rows += block.num_rows;
    probe_.emplace_back(std::move(block), source_->fraction_read());
  }
  for (std::size_t slot = 0; slot < selected_.size(); ++slot)
    if (slot != *clock_) judge(slot);
  if (sparse_.empty()) return;
  for (const auto& [block, fraction] : probe_) take(block);
  probe_.clear();
}

void SparseSource::judge(std::size_t slot) {
  std::size_t num_rows = 0, num_numbers = 0;
  for (const auto& [block, fraction] : probe_) {
    const ColumnBlock::Column column = block.columns[slot];
    num_rows += static_cast<std::size_t>(block.num_rows);
    for (std::int64_t row = 0; row < block.num_rows; ++row)
      num_numbers += std::isnan(column[row]) ? 0 : 1;
  }
  if (num_numbers < kLeastNumbers || 2 * num_numbers >= num_rows) return;
  std::vector<double> steps;
  double last = std::nan("");
  for (const auto& [block, fraction] : probe_)
    for (std::int64_t row = 0; row < block.num_rows; ++row) {
      if (std::isnan(block.columns[slot][row])) continue;
      const double time = block.columns[*clock_][row] * options_.time_scale;
      if (time > last) steps.push_back(time - last);
      last = time;
    }
  if (steps.empty()) return;
  const double pause = options_.max_gap_s > 0 ? options_.max_gap_s : kPauseInSteps * median(steps);
  sparse_.push_back({.slot = slot, .max_gap = pause});
}

void SparseSource::take(const ColumnBlock& block) {
  for (std::int64_t k = 0; k < block.num_rows; ++k) {
    Row row{{}, block.lines[static_cast<std::size_t>(k)]};
    for (const ColumnBlock::Column& column : block.columns) row.numbers.push_back(column[k]);
    take(std::move(row));
  }
}

void SparseSource::take(Row row) {
  const double time = row.numbers[*clock_] * options_.time_scale;
  for (Sparse& column : sparse_) {
    const double value = row.numbers[column.slot];
    if (std::isnan(value)) {
      // before its first number, or too long after its last: nothing to wait for
      const bool waits = time - column.time <= column.max_gap;
      column.num_open = waits ? column.num_open + 1 : 0;
      if (!waits) column.time = std::nan("");
      continue;
    }
    if (column.num_open > 0 && time - column.time <= column.max_gap) fill(column, time, value);
    column.num_open = 0;
    column.time = time;
    column.value = value;
  }
  rows_.push_back(std::move(row));
  if (rows_.size() * selected_.size() > kMaxWaitingNumbers)
    for (Sparse& column : sparse_) column.num_open = 0;
}

// The rows that wait, up to the number at `time`, which is not among them yet.
void SparseSource::fill(const Sparse& column, double time, double value) {
  std::int64_t& count =
      (*filled_)[groups_.front().columns[static_cast<std::size_t>(selected_[column.slot])]];
  for (auto row = rows_.end() - static_cast<std::ptrdiff_t>(column.num_open); row != rows_.end();
       ++row) {
    const double at = row->numbers[*clock_] * options_.time_scale;
    const double share = time > column.time ? (at - column.time) / (time - column.time) : 0;
    row->numbers[column.slot] = column.value + share * (value - column.value);
    ++count;
  }
}

// Number of rows that no column needs to wait for.
std::size_t SparseSource::num_ready() const {
  if (has_ended_) return rows_.size();
  std::size_t num_open = 0;
  for (const Sparse& column : sparse_) num_open = std::max(num_open, column.num_open);
  return rows_.size() - std::min(num_open, rows_.size());
}

void SparseSource::hand_out(ColumnBlock& block) {
  const std::size_t num_rows = std::min(num_ready(), kSparseBlockRows), width = selected_.size();
  block.group = 0;
  block.num_rows = static_cast<std::int64_t>(num_rows);
  block.numbers.clear();
  block.lines.clear();
  for (std::size_t k = 0; k < num_rows; ++k) {
    block.numbers.insert(block.numbers.end(), rows_.front().numbers.begin(),
                         rows_.front().numbers.end());
    block.lines.push_back(rows_.front().line);
    rows_.pop_front();
  }
  block.columns.clear();
  for (std::size_t k = 0; k < width; ++k)
    block.columns.push_back({block.numbers.data() + k, static_cast<std::int64_t>(width)});
}

Result<bool> SparseSource::next(ColumnBlock& block) {
  if (!is_probed_) probe();
  if (!probe_.empty()) {
    block = std::move(probe_.front().first);
    probed_fraction_ = probe_.front().second;
    probe_.pop_front();
    return true;
  }
  probed_fraction_.reset();
  if (sparse_.empty() && has_ended_) {
    if (error_) return *error_;
    return false;
  }
  if (sparse_.empty()) return source_->next(block);
  while (num_ready() == 0 && !has_ended_) {
    const auto found = source_->next(block);
    if (!found) error_ = found.error();
    has_ended_ = !found || !*found;
    if (!has_ended_) take(block);
  }
  if (rows_.empty()) {
    if (error_) return *error_;
    return false;
  }
  hand_out(block);
  return true;
}

}  // namespace

SourcePtr fill_sparse_columns(SourcePtr source, const JoinOptions& options,
                              std::shared_ptr<FilledRows> filled) {
  return std::make_unique<SparseSource>(std::move(source), options, std::move(filled));
}

}  // namespace heft
