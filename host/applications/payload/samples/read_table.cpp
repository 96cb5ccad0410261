#include "read_table.hpp"

#include <algorithm>

#include "files/name_hint.hpp"

namespace heft::payload {

namespace {

constexpr std::size_t kMaxNumbers = std::size_t{1} << 28;  // 2 GiB

}  // namespace

Result<Table> read_columns(Source& source, const std::vector<int>& columns) {
  std::vector<std::vector<int>> selected(source.groups().size());
  selected[0] = columns;
  std::sort(selected[0].begin(), selected[0].end());
  HEFT_CHECK(source.select(selected));
  std::vector<std::size_t> slot;
  for (const int column : columns)
    slot.push_back(static_cast<std::size_t>(
        std::lower_bound(selected[0].begin(), selected[0].end(), column) - selected[0].begin()));
  std::vector<double> numbers;
  Table table;
  for (ColumnBlock block;;) {
    HEFT_TRY(found, source.next(block));
    if (!found) break;
    if (numbers.size() + static_cast<std::size_t>(block.num_rows) * columns.size() > kMaxNumbers)
      return Error{
          source.name(),
          "has more rows than fit in memory: over " + std::to_string(kMaxNumbers / columns.size()),
          "weigh a part of it, or keep every tenth row"};
    for (std::int64_t row = 0; row < block.num_rows; ++row) {
      for (const std::size_t k : slot) numbers.push_back(block.columns[k][row]);
      table.lines.push_back(block.lines[static_cast<std::size_t>(row)]);
    }
  }
  if (table.lines.empty())
    return Error{source.name(), "has no rows", "record the log again, or name another file"};
  HEFT_TRY(digest, source.sha256());
  table.sha256 = digest;
  const auto num_rows = static_cast<Eigen::Index>(table.lines.size());
  table.rows =
      Eigen::Map<const Eigen::Array<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
          numbers.data(), num_rows, static_cast<Eigen::Index>(columns.size()));
  return table;
}

Result<Table> read_table(const std::string& path, const std::vector<std::string>& names) {
  HEFT_TRY(source, open_file(path, {}));
  const std::vector<std::string>& header = source->groups().front().columns;
  std::vector<int> columns;
  for (const std::string& name : names) {
    const auto found = std::find(header.begin(), header.end(), name);
    if (found == header.end())
      return Error{source->where(), "has no column '" + name + "'",
                   name_hint(name, header, "the header has")};
    columns.push_back(static_cast<int>(found - header.begin()));
  }
  return read_columns(*source, columns);
}

}  // namespace heft::payload
