#include "readers/without_stretches.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "stamp_source.hpp"

namespace heft {

namespace {

class SourceWithout : public SourceInSeconds {
 public:
  SourceWithout(SourcePtr whole, std::vector<Stamps> stretches, double time_scale)
      : SourceInSeconds(std::move(whole)),
        stretches_(std::move(stretches)),
        time_scale_(time_scale) {}

  Result<Done> select(const std::vector<std::vector<int>>& columns) override {
    clock_place_ = clock_places(groups_, columns);
    is_inside_.assign(groups_.size(), false);
    return source_->select(columns);
  }

  Result<bool> next(ColumnBlock& block) override {
    for (;;) {
      HEFT_TRY(has_rows, source_->next(block));
      if (!has_rows) return false;
      const int place = clock_place_[static_cast<std::size_t>(block.group)];
      if (place < 0) return true;  // a group without a clock cannot be cut
      cut(block, place);
      if (block.num_rows > 0) return true;
    }
  }

 private:
  bool is_left_out(double t) const {
    return std::any_of(stretches_.begin(), stretches_.end(),
                       [t](const Stamps& stretch) { return t >= stretch.from && t <= stretch.to; });
  }

  /// Keeps the rows outside and, for every stretch, its first row as NaN, which prevents
  /// interpolation across it.
  void cut(ColumnBlock& block, int clock) {
    const ColumnBlock::Column& time = block.columns[static_cast<std::size_t>(clock)];
    bool was_inside = is_inside_[static_cast<std::size_t>(block.group)];
    std::vector<std::int64_t> kept;
    std::vector<bool> is_void;
    for (std::int64_t row = 0; row < block.num_rows; ++row) {
      const bool is_inside = is_left_out(time[row] * time_scale_);
      if (!is_inside || !was_inside) {
        kept.push_back(row);
        is_void.push_back(is_inside);
      }
      was_inside = is_inside;
    }
    is_inside_[static_cast<std::size_t>(block.group)] = was_inside;
    if (std::ssize(kept) == block.num_rows &&
        std::find(is_void.begin(), is_void.end(), true) == is_void.end())
      return;
    const auto num_kept = std::ssize(kept);
    std::vector<double> numbers(kept.size() * block.columns.size());
    for (std::size_t c = 0; c < block.columns.size(); ++c) {
      double* column = numbers.data() + c * kept.size();
      const bool is_clock = static_cast<int>(c) == clock;
      for (std::size_t k = 0; k < kept.size(); ++k)
        column[k] = is_void[k] && !is_clock ? std::numeric_limits<double>::quiet_NaN()
                                            : block.columns[c][kept[k]];
    }
    if (!block.lines.empty()) {
      for (std::size_t k = 0; k < kept.size(); ++k)
        block.lines[k] = block.lines[static_cast<std::size_t>(kept[k])];
      block.lines.resize(kept.size());
    }
    block.numbers = std::move(numbers);
    for (std::size_t c = 0; c < block.columns.size(); ++c)
      block.columns[c] = {block.numbers.data() + c * kept.size(), 1};
    block.num_rows = num_kept;
  }

  std::vector<Stamps> stretches_;
  double time_scale_;
  std::vector<int> clock_place_;  // of every group, in the columns selected
  std::vector<bool> is_inside_;   // whether the last row of every group was left out
};

}  // namespace

Log without_stretches(const Log& log, std::vector<Stamps> stretches) {
  return {log.name(),
          [log, stretches = std::move(stretches)](const LogFormat& format) -> Result<SourcePtr> {
            HEFT_TRY(whole, log.open(format));
            HEFT_TRY(in_time, in_seconds(std::move(whole), format));
            return SourcePtr(new SourceWithout(std::move(in_time), stretches, format.time_scale));
          },
          log.part()};
}

}  // namespace heft
