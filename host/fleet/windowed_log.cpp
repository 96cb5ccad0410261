#include "windowed_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "log/format_of_file.hpp"

namespace heft {

namespace {

/// Hands on what lies between two stamps; the rest is read as well, since the digest is that of the whole.
class WindowedSource : public Source {
 public:
  WindowedSource(SourcePtr whole, double start_s, double end_s, double time_scale)
      : whole_(std::move(whole)), start_s_(start_s), end_s_(end_s), time_scale_(time_scale) {
    name_ = whole_->name();
    groups_ = whole_->groups();
  }

  Result<Done> select(const std::vector<std::vector<int>>& columns) override {
    clock_place_.assign(groups_.size(), -1);
    for (std::size_t g = 0; g < columns.size() && g < groups_.size(); ++g) {
      const auto found = std::find(columns[g].begin(), columns[g].end(), groups_[g].clock);
      if (found != columns[g].end()) clock_place_[g] = static_cast<int>(found - columns[g].begin());
    }
    return whole_->select(columns);
  }

  Result<bool> next(ColumnBlock& block) override {
    for (;;) {
      HEFT_TRY(has_rows, whole_->next(block));
      if (!has_rows) {
        if (has_handed_on_) return false;
        return Error{name_, fmt::format("has no row between {} and {} s of its own clock", start_s_, end_s_),
                     "mend start_s and end_s of its row in the manifest"};
      }
      const int place = clock_place_[static_cast<std::size_t>(block.group)];
      if (place < 0) return true;  // a group without a clock cannot be cut
      cut(block, place);
      if (block.num_rows == 0) continue;
      has_handed_on_ = true;
      return true;
    }
  }

  std::string where(int group, std::int64_t line) const override { return whole_->where(group, line); }
  std::string where() const override { return whole_->where(); }
  double fraction_read() const override { return whole_->fraction_read(); }
  double disk_seconds() const override { return whole_->disk_seconds(); }
  Result<std::string> sha256() override { return whole_->sha256(); }

 private:
  /// Leaves the rows from the first to the last that lies inside.
  void cut(ColumnBlock& block, int clock) const {
    const ColumnBlock::Column& time = block.columns[static_cast<std::size_t>(clock)];
    const auto is_inside = [&](std::int64_t row) {
      const double t = time[row] * time_scale_;
      return t >= start_s_ && t <= end_s_;
    };
    std::int64_t begin = 0, end = block.num_rows;
    while (begin < end && !is_inside(begin)) ++begin;
    while (end > begin && !is_inside(end - 1)) --end;
    for (ColumnBlock::Column& column : block.columns) column.first += begin * column.stride;
    if (!block.lines.empty()) {
      block.lines.erase(block.lines.begin() + end, block.lines.end());
      block.lines.erase(block.lines.begin(), block.lines.begin() + begin);
    }
    block.num_rows = end - begin;
  }

  SourcePtr whole_;
  double start_s_, end_s_, time_scale_;
  std::vector<int> clock_place_;  // of every group, in the columns selected
  bool has_handed_on_ = false;
};

}  // namespace

Log windowed_log(const FleetRow& row) {
  if (row.format.empty() && !row.has_window()) return row.log;
  return {row.log, [row](const LogFormat& format) -> Result<SourcePtr> {
            HEFT_TRY(whole, open_file(row.log, format));
            if (const std::string_view is = format_of_file(row.log); !row.format.empty() && is != row.format)
              return Error{row.log, fmt::format("is {}, not {} as the manifest says", is, row.format),
                           "mend the format in the manifest, or leave it empty"};
            if (!row.has_window()) return std::move(whole);
            return SourcePtr(new WindowedSource(std::move(whole), row.start_s, row.end_s, format.time_scale));
          }};
}

}  // namespace heft
