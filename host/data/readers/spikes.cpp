#include "spikes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/median.hpp"
#include "readers/foreign_rows.hpp"
#include "stamp_source.hpp"

namespace heft {

namespace {

constexpr double kLarge = 30;     // times the usual bend
constexpr double kLeast = 1e-4;   // of the column's range
constexpr double kReturns = 0.2;  // of the bend may be left once the samples beside it are added
constexpr std::size_t kMaxBends = std::size_t{1} << 20;  // that the usual one is told from

/// A sample and its replacement.
struct Bridge {
  std::int64_t row;
  double value;
};

/// The second differences of a column and its spikes: first all sizes, then the large ones.
class ColumnBends {
 public:
  void push(double value) {
    const std::int64_t row = num_rows_++;
    std::rotate(last_, last_ + 1, last_ + 5);
    last_[4] = value;
    if (!std::isnan(value))
      lowest_ = std::min(lowest_, value), highest_ = std::max(highest_, value);
    if (row < 4) return;
    const double middle = bend(2);
    if (const double size = std::abs(middle); size > 0 && sizes_.size() < kMaxBends)
      sizes_.push_back(size);
    // of the two rows on either side the bends come back, whatever the scale: few samples do by
    // chance and are large
    const double around = bend(1) + bend(3);
    const bool comes_back = bend(1) * middle < 0 && bend(3) * middle < 0 &&
                            std::abs(around + middle) < kReturns * std::abs(middle);
    const bool is_missing = std::isnan(last_[2]) && !std::isnan(last_[1]) && !std::isnan(last_[3]);
    if (comes_back || is_missing)
      candidates_.push_back(
          {{row - 2, 0.5 * (last_[1] + last_[3])}, is_missing ? kMissing : std::abs(middle)});
  }

  std::vector<Bridge> spikes() {
    const double usual =
        std::max(sizes_.empty() ? 0.0 : median(std::move(sizes_)), kLeast * (highest_ - lowest_));
    std::vector<Bridge> found;
    for (const auto& [bridge, size] : candidates_)
      if (size > kLarge * usual) found.push_back(bridge);
    return found;
  }

 private:
  static constexpr double kMissing = std::numeric_limits<double>::infinity();

  double bend(int k) const { return last_[k] - 0.5 * (last_[k - 1] + last_[k + 1]); }

  double last_[5] = {};
  double lowest_ = std::numeric_limits<double>::infinity(), highest_ = -lowest_;
  std::int64_t num_rows_ = 0;
  std::vector<double> sizes_;
  std::vector<std::pair<Bridge, double>> candidates_;
};

class SourceWithoutSpikes : public SourceInSeconds {
 public:
  SourceWithoutSpikes(Log log, LogFormat format, SourcePtr whole,
                      std::shared_ptr<BridgedSamples> bridged)
      : SourceInSeconds(std::move(whole)),
        log_(std::move(log)),
        format_(std::move(format)),
        bridged_(std::move(bridged)) {}

  Result<Done> select(const std::vector<std::vector<int>>& columns) override {
    HEFT_CHECK(find(columns));
    return source_->select(columns);
  }

  Result<bool> next(ColumnBlock& block) override {
    HEFT_TRY(has_rows, source_->next(block));
    if (has_rows) replace(block);
    return has_rows;
  }

 private:
  struct Column {
    std::vector<Bridge> bridges;
    std::size_t next = 0;
  };
  struct Group {
    std::vector<Column> columns;  // selected
    std::int64_t num_rows = 0;    // handed out
  };

  /// The next block of `source_`.
  Result<SourcePtr> opened() const {
    HEFT_TRY(opened, log_.open(format_));
    HEFT_TRY(source, in_seconds(std::move(opened), format_));
    return format_.drop_damaged ? without_foreign_rows(log_, format_, std::move(source))
                                : std::move(source);
  }

  Result<Done> find(const std::vector<std::vector<int>>& columns) {
    HEFT_TRY(source, opened());
    HEFT_CHECK(source->select(columns));
    const std::vector<int> clocks = clock_places(groups_, columns);
    std::vector<std::vector<ColumnBends>> bends;
    for (const std::vector<int>& selected : columns) bends.emplace_back(selected.size());
    for (ColumnBlock block;;) {
      HEFT_TRY(has_rows, source->next(block));
      if (!has_rows) break;
      auto& of_group = bends[static_cast<std::size_t>(block.group)];
      for (std::size_t c = 0; c < of_group.size(); ++c)
        for (std::int64_t row = 0; row < block.num_rows; ++row)
          of_group[c].push(block.columns[c][row]);
    }
    found_.assign(columns.size(), {});
    bridged_->clear();
    for (std::size_t g = 0; g < columns.size(); ++g)
      for (std::size_t c = 0; c < columns[g].size(); ++c) {
        const bool is_clock = static_cast<int>(c) == clocks[g];
        found_[g].columns.push_back({is_clock ? std::vector<Bridge>() : bends[g][c].spikes()});
        if (const auto count = std::ssize(found_[g].columns.back().bridges); count > 0)
          (*bridged_)[groups_[g].columns[static_cast<std::size_t>(columns[g][c])]] += count;
      }
    return Done{};
  }

  void replace(ColumnBlock& block) {
    Group& group = found_[static_cast<std::size_t>(block.group)];
    for (std::size_t c = 0; c < group.columns.size(); ++c) {
      Column& column = group.columns[c];
      const auto ends_here = [&] {
        return column.next < column.bridges.size() &&
               column.bridges[column.next].row < group.num_rows + block.num_rows;
      };
      if (!ends_here()) continue;
      std::vector<double> numbers;
      for (std::int64_t row = 0; row < block.num_rows; ++row)
        numbers.push_back(block.columns[c][row]);
      for (; ends_here(); ++column.next)
        numbers[static_cast<std::size_t>(column.bridges[column.next].row - group.num_rows)] =
            column.bridges[column.next].value;
      replace_column(block, static_cast<int>(c), numbers);
    }
    group.num_rows += block.num_rows;
  }

  Log log_;
  LogFormat format_;
  std::shared_ptr<BridgedSamples> bridged_;
  std::vector<Group> found_;
};

}  // namespace

SourcePtr without_spikes(const Log& log, const LogFormat& format, SourcePtr source,
                         std::shared_ptr<BridgedSamples> bridged) {
  return std::make_unique<SourceWithoutSpikes>(log, format, std::move(source), std::move(bridged));
}

}  // namespace heft
