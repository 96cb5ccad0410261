#include "table_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/readable_text.hpp"

namespace heft {

namespace {

constexpr std::size_t kMaxTableRows = 256;                   ///< of a block
constexpr std::size_t kBlockNumbers = std::size_t{1} << 14;  ///< of a block at most, but for a
                                                             ///< single row

}  // namespace

void TableReader::set_clock(const std::string& column) {
  const auto found = std::find(header().begin(), header().end(), column);
  const bool is_there = found != header().end() && !column.empty();
  groups_.front().clock = is_there ? static_cast<int>(found - header().begin()) : -1;
}

Result<Done> TableReader::select(const std::vector<std::vector<int>>& columns) {
  num_selected_ = columns.front().size();
  return select_columns(columns.front());
}

// Row by row, as a file has them.
Result<bool> TableReader::next(ColumnBlock& block) {
  if (error_) return *error_;
  const std::size_t width = std::max<std::size_t>(num_selected_, 1);
  const std::size_t max_rows = std::clamp<std::size_t>(kBlockNumbers / width, 1, kMaxTableRows);
  block.numbers.resize(max_rows * num_selected_);
  block.lines.clear();
  while (block.lines.size() < max_rows) {
    const auto found = next_row(block.numbers.data() + block.lines.size() * num_selected_);
    if (!found) error_ = found.error();
    if (!found || !*found) break;
    block.lines.push_back(line_);
  }
  block.group = 0;
  block.num_rows = static_cast<std::int64_t>(block.lines.size());
  block.columns.clear();
  for (std::size_t k = 0; k < num_selected_; ++k)
    block.columns.push_back({block.numbers.data() + k, static_cast<std::int64_t>(num_selected_)});
  if (error_ && block.num_rows == 0) return *error_;
  return block.num_rows > 0;
}

Result<Done> TableReader::check_header() const {
  // sorted hashes: a map would spend most of the time of a header of a million names
  struct Hashed {
    std::size_t hash, at;
    auto operator<=>(const Hashed&) const = default;
  };
  std::vector<Hashed> names;
  names.reserve(header().size());
  for (std::size_t k = 0; k < header().size(); ++k)
    if (!header()[k].empty()) names.push_back({std::hash<std::string>()(header()[k]), k});
  std::ranges::sort(names);
  std::size_t first = 0, second = header().size();
  for (std::size_t i = 1; i < names.size(); ++i) {
    if (names[i].at > second) continue;
    for (std::size_t j = i; j-- > 0 && names[j].hash == names[i].hash;)
      if (header()[names[j].at] == header()[names[i].at]) first = names[j].at, second = names[i].at;
  }
  if (second < header().size())
    return Error{where(),
                 fmt::format("columns {} and {} are both named {}", first + 1, second + 1,
                             printable(header()[second])),
                 "rename one of them"};
  return Done{};
}

std::string printable(std::string_view text) {
  constexpr std::size_t kLongest = 24;
  return "'" + readable(first_of_text(text, kLongest)) + (text.size() > kLongest ? "..'" : "'");
}

}  // namespace heft
