// Adapter that passes on the rows of another source with changes: a subclass overrides what it
// changes and delegates the rest.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "heft/log/source.hpp"

namespace heft {

class SourceOver : public Source {
 public:
  explicit SourceOver(SourcePtr source) : source_(std::move(source)) {
    name_ = source_->name();
    groups_ = source_->groups();
  }

  Result<Done> select(const std::vector<std::vector<int>>& columns) override {
    return source_->select(columns);
  }
  std::string where(int group, std::int64_t line) const override {
    return source_->where(group, line);
  }
  std::string where() const override { return source_->where(); }
  double fraction_read() const override { return source_->fraction_read(); }
  double disk_seconds() const override { return source_->disk_seconds(); }
  std::vector<std::string> losses() const override { return source_->losses(); }
  std::int64_t origin() const override { return source_->origin(); }
  Result<std::string> sha256() override { return source_->sha256(); }

 protected:
  SourcePtr source_;
};

/// Index of every group's clock among its selected columns; -1: no clock, or not selected.
inline std::vector<int> clock_places(const std::vector<ColumnGroup>& groups,
                                     const std::vector<std::vector<int>>& columns) {
  std::vector<int> places(groups.size(), -1);
  for (std::size_t g = 0; g < std::min(groups.size(), columns.size()); ++g) {
    const auto found = std::find(columns[g].begin(), columns[g].end(), groups[g].clock);
    if (found != columns[g].end()) places[g] = static_cast<int>(found - columns[g].begin());
  }
  return places;
}

}  // namespace heft
