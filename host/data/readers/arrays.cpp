#include "heft/log/arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "files/sha256.hpp"

namespace heft {

namespace {

constexpr std::int64_t kMaxRows = 256;         ///< of a block
constexpr std::int64_t kHashedNumbers = 4096;  ///< at a time

class ArraySource final : public Source {
 public:
  static Result<SourcePtr> make(std::string name, const std::vector<ArrayGroup>& groups,
                                const std::string& clock, std::shared_ptr<const void> owner);

  Result<Done> select(const std::vector<std::vector<int>>& columns) override;
  Result<bool> next(ColumnBlock& block) override;
  std::string where(int group, std::int64_t line) const override;
  using Source::where;
  double fraction_read() const override;
  Result<std::string> sha256() override;

 private:
  struct Group {
    std::vector<ColumnBlock::Column> columns;
    std::int64_t num_rows = 0;
    std::int64_t row = 0;  ///< next to hand out
    std::vector<int> selected;

    bool has_more() const { return !selected.empty() && row < num_rows; }
  };

  ArraySource() = default;
  Result<Done> add(const ArrayGroup& arrays, const std::string& clock);

  std::vector<Group> data_;
  std::shared_ptr<const void> owner_;
};

Result<SourcePtr> ArraySource::make(std::string name, const std::vector<ArrayGroup>& groups,
                                    const std::string& clock, std::shared_ptr<const void> owner) {
  if (groups.empty())
    return Error{name, "has no columns", "give the times and at least one more column"};
  std::unique_ptr<ArraySource> source(new ArraySource);
  source->name_ = std::move(name);
  source->owner_ = std::move(owner);
  for (const ArrayGroup& group : groups) HEFT_CHECK(source->add(group, clock));
  return SourcePtr(std::move(source));
}

Result<Done> ArraySource::add(const ArrayGroup& arrays, const std::string& clock) {
  const std::string where = arrays.name.empty() ? name_ : name_ + ": " + arrays.name;
  if (arrays.time.num_columns != 1)
    return Error{where, fmt::format("has {} time columns", arrays.time.num_columns), "give one"};
  if (arrays.time.num_rows == 0) return Error{where, "has no rows", "record the log again"};
  ColumnGroup& group = groups_.emplace_back(ColumnGroup{arrays.name, {clock}, 0});
  Group& data = data_.emplace_back();
  data.num_rows = arrays.time.num_rows;
  data.columns.push_back({arrays.time.data, arrays.time.row_stride});
  std::unordered_set<std::string> known = {clock};
  for (const ArrayColumns& array : arrays.columns) {
    const ArrayView& numbers = array.numbers;
    const std::string first = array.names.empty() ? "a column" : array.names.front();
    if (numbers.num_columns != static_cast<std::int64_t>(array.names.size()))
      return Error{where + ": " + first,
                   fmt::format("{} names for {} columns", array.names.size(), numbers.num_columns),
                   "name every column"};
    if (numbers.num_rows != data.num_rows)
      return Error{where + ": " + first,
                   fmt::format("has {} rows, but the time column '{}' has {}", numbers.num_rows,
                               clock, data.num_rows),
                   "give columns of equal length that share one clock"};
    for (std::int64_t k = 0; k < numbers.num_columns; ++k) {
      const std::string& name = array.names[static_cast<std::size_t>(k)];
      if (!known.insert(name).second)
        return Error{where, fmt::format("two columns are named '{}'", name), "rename one of them"};
      group.columns.push_back(name);
      data.columns.push_back({numbers.data + k * numbers.column_stride, numbers.row_stride});
    }
  }
  return Done{};
}

Result<Done> ArraySource::select(const std::vector<std::vector<int>>& columns) {
  for (std::size_t g = 0; g < data_.size(); ++g) data_[g].selected = columns[g];
  return Done{};
}

// Returns rows of the group that lags behind the others, without copying.
Result<bool> ArraySource::next(ColumnBlock& block) {
  Group* group = nullptr;
  const auto time = [](const Group& one) { return one.columns.front()[one.row]; };
  for (Group& one : data_)
    if (one.has_more() && (!group || !(time(one) >= time(*group)))) group = &one;
  if (!group) return false;
  block.group = static_cast<int>(group - data_.data());
  block.columns.clear();
  for (const int k : group->selected) {
    const ColumnBlock::Column& column = group->columns[static_cast<std::size_t>(k)];
    block.columns.push_back({column.first + group->row * column.stride, column.stride});
  }
  block.num_rows = std::min(kMaxRows, group->num_rows - group->row);
  block.lines.clear();
  for (std::int64_t row = 0; row < block.num_rows; ++row) {
    for (std::size_t k = 0; k < block.columns.size(); ++k)
      if (std::isinf(block.columns[k][row])) {
        if (row > 0) {  // comes after the rows before it
          block.num_rows = row;
          group->row += row;
          return true;
        }
        const std::vector<std::string>& names =
            groups_[static_cast<std::size_t>(block.group)].columns;
        return Error{where(block.group, group->row) + ": " +
                         names[static_cast<std::size_t>(group->selected[k])],
                     "is infinite", "drop the row, or use NaN for a missing value"};
      }
    block.lines.push_back(group->row + row);
  }
  group->row += block.num_rows;
  return true;
}

std::string ArraySource::where(int group, std::int64_t line) const {
  const std::string& name = groups_[static_cast<std::size_t>(group)].name;
  return fmt::format("{}{}{}[{}]", name_, name.empty() ? "" : ": ", name, line);
}

double ArraySource::fraction_read() const {
  std::int64_t num_read = 0, num_rows = 0;
  for (const Group& group : data_) {
    if (group.selected.empty()) continue;
    num_read += group.row;
    num_rows += group.num_rows;
  }
  return num_rows > 0 ? static_cast<double>(num_read) / static_cast<double>(num_rows) : 1;
}

// Digest of names and numbers of all columns, group by group.
Result<std::string> ArraySource::sha256() {
  Sha256 hash;
  std::vector<double> numbers;
  for (std::size_t g = 0; g < data_.size(); ++g) {
    const std::string shape = fmt::format("{}\n{}\n", groups_[g].name, data_[g].num_rows);
    hash.update(shape.data(), shape.size());
    for (std::size_t k = 0; k < data_[g].columns.size(); ++k) {
      hash.update(groups_[g].columns[k].c_str(), groups_[g].columns[k].size() + 1);
      for (std::int64_t begin = 0; begin < data_[g].num_rows; begin += kHashedNumbers) {
        numbers.clear();
        for (std::int64_t i = begin; i < std::min(begin + kHashedNumbers, data_[g].num_rows); ++i)
          numbers.push_back(data_[g].columns[k][i]);
        hash.update(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double));
      }
    }
  }
  return hash.hex_digest();
}

}  // namespace

Log array_log(std::string name, std::vector<ArrayGroup> groups, std::shared_ptr<const void> owner) {
  auto open = [name, groups = std::move(groups),
               owner = std::move(owner)](const LogFormat& format) -> Result<SourcePtr> {
    if (format.time_unit == "iso")
      return Error{name, "has numeric stamps: only a text table can contain times as text",
                   "set log.time_unit: s, ms, us, ns or auto"};
    return ArraySource::make(name, groups, format.time, owner);
  };
  return {std::move(name), std::move(open)};
}

Log array_log(std::string name, const ArrayView& time, const ArrayView& position,
              const ArrayView& torque, const ArrayView& velocity, const ArrayView& acceleration,
              std::shared_ptr<const void> owner) {
  ArrayGroup group{.time = time};
  const auto add = [&group](const char* prefix, const ArrayView& numbers) {
    if (numbers.num_columns == 0) return;
    ArrayColumns& columns = group.columns.emplace_back();
    columns.numbers = numbers;
    for (std::int64_t k = 1; k <= numbers.num_columns; ++k)
      columns.names.push_back(fmt::format("{}{}", prefix, k));
  };
  add("q", position);
  add("qd", velocity);
  add("qdd", acceleration);
  add("tau", torque);
  return array_log(std::move(name), {group}, std::move(owner));
}

}  // namespace heft
