// Text tables according to RFC 4180: quoted fields may contain commas, quotes and line ends.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace heft {

/// Iterates over the rows of a table.
class CsvTable {
 public:
  explicit CsvTable(std::string_view text) : text_(text) {}

  /// Reads the fields of the next row that is not blank, without surrounding spaces unless quoted;
  /// returns false at the end.
  bool next(std::vector<std::string>& fields);

  /// Returns the line where that row began, from 1.
  long line() const { return row_line_; }

  /// Returns whether that row has an unterminated quote, which includes everything after it.
  bool is_open() const { return is_open_; }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  long line_ = 1, row_line_ = 0;
  bool is_open_ = false;
};

/// Returns the field in quotes; quotes inside are written twice.
std::string csv_quoted(const std::string& text);

/// Returns the field as written in a row: quoted if necessary.
std::string csv_field(const std::string& text);

/// Returns the field for user-provided text in a table for people: text that a spreadsheet would
/// run as a formula (= + - @ at the beginning) gets a leading apostrophe.
std::string csv_words(const std::string& text);

}  // namespace heft
#pragma GCC visibility pop
