#include "log_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "readers/column_guess.hpp"

namespace heft::check {

namespace {

constexpr std::int64_t kMaxRows = 20000;
constexpr std::int64_t kMaxNumbersRead = std::int64_t{1} << 22;
constexpr int kMaxTexts = 32;  ///< columns of a table that hold no numbers

/// The whole table except `texts`; error at the first nonnumeric column.
Result<Numbers> read_numbers(const std::string& path, const LogFormat& format,
                             const std::vector<std::string>& texts) {
  HEFT_TRY(source, Log(path).open(format));
  Numbers table{
      .names = source->groups().front().columns, .header = format.header, .time = format.time};
  const auto num_columns = static_cast<std::int64_t>(table.names.size());
  std::vector<std::vector<int>> selected(source->groups().size());
  for (int k = 0; k < num_columns; ++k) {
    const bool is_text = std::find(texts.begin(), texts.end(),
                                   table.names[static_cast<std::size_t>(k)]) != texts.end();
    table.is_numbers.push_back(!is_text);
    if (!is_text) selected.front().push_back(k);
  }
  HEFT_CHECK(source->select(selected));
  std::vector<double> numbers;
  const std::int64_t most =
      std::min(kMaxRows, kMaxNumbersRead / std::max<std::int64_t>(num_columns, 1));
  std::int64_t num_rows = 0;
  ColumnBlock block;
  while (num_rows < most) {
    HEFT_TRY(found, source->next(block));
    if (!found) break;
    for (std::int64_t row = 0; row < block.num_rows && num_rows < most; ++row, ++num_rows)
      for (const ColumnBlock::Column& column : block.columns) numbers.push_back(column[row]);
  }
  table.values.setConstant(num_rows, num_columns, std::numeric_limits<double>::quiet_NaN());
  const auto width = static_cast<Eigen::Index>(selected.front().size());
  const Eigen::Map<const Eigen::Array<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>
      read(numbers.data(), num_rows, width);
  for (Eigen::Index k = 0; k < width; ++k)
    table.values.col(selected.front()[static_cast<std::size_t>(k)]) = read.col(k);
  return table;
}

/// Whether most names are numbers, other than 0, 1, 2, ..: the first line holds data (ros2 topic
/// echo --csv).
bool are_numbers(const std::vector<std::string>& names) {
  std::ptrdiff_t count = 0, num_next = 0;
  double last = std::nan("");
  for (const std::string& name : names) {
    char* end = nullptr;
    const double number = std::strtod(name.c_str(), &end);
    if (name.empty() || *end != '\0') continue;
    ++count;
    if (number == last + 1) ++num_next;
    last = number;
  }
  return 2 * count > std::ssize(names) && 2 * num_next < count;
}

}  // namespace

Result<Numbers> read_numbers_of_log(const std::string& path, LogFormat format, const Robot& robot) {
  auto source = Log(path).open(format);
  const bool lacks_names = source && are_numbers((*source)->groups().front().columns);
  if ((!source || lacks_names) && format.header) {
    LogFormat bare = format;
    bare.header = false;
    if (auto other = Log(path).open(bare)) {
      format = bare;
      source = std::move(other);
    }
  }
  if (!source) return source.error();
  const std::vector<std::string> names = (*source)->groups().front().columns;
  const ColumnGuesses guesses = guess_columns(names, robot);
  for (std::size_t k = 0; k < names.size(); ++k)
    if (guesses[k].role == ColumnRole::time) format.time = names[k];
  std::vector<std::string> texts;
  for (int attempt = 0;; ++attempt) {
    auto table = read_numbers(path, format, texts);
    if (table || attempt >= kMaxTexts) return table;
    const std::string& where = table.error().where;
    const auto culprit = std::find_if(names.begin(), names.end(), [&](const std::string& name) {
      return where.ends_with(": " + name);
    });
    if (culprit == names.end()) return table;
    const bool may_be_time = format.time != *culprit &&
                             std::find(names.begin(), names.end(), format.time) == names.end();
    if (may_be_time)
      format.time = *culprit;
    else
      texts.push_back(*culprit);
  }
}

}  // namespace heft::check
