#include "readers/between_stamps.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "files/name_hint.hpp"
#include "readers/source_over.hpp"

namespace heft {

namespace {

class PartOfSource : public SourceOver {
 public:
  PartOfSource(SourcePtr whole, const Stamps& stamps, double time_scale, std::string remedy)
      : SourceOver(std::move(whole)),
        stamps_(stamps),
        time_scale_(time_scale),
        remedy_(std::move(remedy)) {}

  Result<Done> select(const std::vector<std::vector<int>>& columns) override {
    clock_place_ = clock_places(groups_, columns);
    return source_->select(columns);
  }

  Result<bool> next(ColumnBlock& block) override {
    for (;;) {
      HEFT_TRY(has_rows, source_->next(block));
      if (!has_rows) {
        if (has_handed_on_) return false;
        return Error{name_,
                     fmt::format("has no row between {} and {} s of its own clock", stamps_.from,
                                 stamps_.to),
                     remedy_};
      }
      const int place = clock_place_[static_cast<std::size_t>(block.group)];
      if (place < 0) return true;  // a group without a clock cannot be cut
      cut(block, place);
      if (block.num_rows == 0) continue;
      has_handed_on_ = true;
      return true;
    }
  }

 private:
  /// Leaves the rows from the first to the last that lies inside.
  void cut(ColumnBlock& block, int clock) const {
    const ColumnBlock::Column& time = block.columns[static_cast<std::size_t>(clock)];
    const auto is_inside = [&](std::int64_t row) {
      const double t = time[row] * time_scale_;
      return t >= stamps_.from && t <= stamps_.to;
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

  Stamps stamps_;
  double time_scale_;
  std::string remedy_;
  std::vector<int> clock_place_;  // of every group, in the columns selected
  bool has_handed_on_ = false;
};

}  // namespace

SourcePtr between_stamps(SourcePtr whole, const Stamps& stamps, double time_scale,
                         const std::string& remedy) {
  return SourcePtr(new PartOfSource(std::move(whole), stamps, time_scale, remedy));
}

Result<Stamps> stamps_of(const Log& log, const LogFormat& format) {
  HEFT_TRY(source, log.open(format));
  return stamps_of(std::move(source), format.time_scale);
}

Result<Stamps> stamps_of(SourcePtr source, double time_scale) {
  const int clock = source->groups().front().clock;
  if (clock < 0)
    return Error{source->where(), "has no time column",
                 "name it in log.time, or set log.rate_hz; heft check --suggest FILE.yaml guesses "
                 "it; " +
                     name_hint("", {}, source->groups().front().columns, "the header has")};
  std::vector<std::vector<int>> wanted(source->groups().size());
  wanted.front() = {clock};
  HEFT_CHECK(source->select(wanted));
  Stamps stamps{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (ColumnBlock block;;) {
    HEFT_TRY(has_rows, source->next(block));
    if (!has_rows) return stamps;
    for (std::int64_t row = 0; row < block.num_rows; ++row) {
      const double t = block.columns.front()[row] * time_scale;
      if (t < stamps.from) stamps.from = t;
      if (t > stamps.to) stamps.to = t;
    }
  }
}

}  // namespace heft
