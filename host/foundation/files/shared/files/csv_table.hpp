// Tables of texts as RFC 4180 has them: fields in quotes may hold commas, quotes and line ends.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace heft {

/// Walks through a table row by row.
class CsvTable {
 public:
  explicit CsvTable(std::string_view text) : text_(text) {}

  /// The fields of the next row that is not blank, spaces around them cut unless they are quoted;
  /// false at the end.
  bool next(std::vector<std::string>& fields);

  /// Where that row began, from 1.
  long line() const { return row_line_; }

  /// Whether that row has a quote that never ends, and with it all that stood behind it.
  bool is_open() const { return is_open_; }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  long line_ = 1, row_line_ = 0;
  bool is_open_ = false;
};

/// The field as it stands in a row: in quotes if it needs them.
std::string csv_field(const std::string& text);

/// The same of somebody's words in a table for people: what a spreadsheet would run as a formula (=
/// + - @ at the beginning) gets an apostrophe before it.
std::string csv_words(const std::string& text);

}  // namespace heft
#pragma GCC visibility pop
