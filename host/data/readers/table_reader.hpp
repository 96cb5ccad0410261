// Base of readers for files with one table, read row by row: a source with one group of columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/log/source.hpp"

namespace heft {

class TableReader : public Source {
 public:
  static constexpr std::size_t kReadSize = std::size_t{1} << 18;

  const std::vector<std::string>& header() const { return groups_.front().columns; }

  /// Selects the clock's column; no clock if no column has this name.
  void set_clock(const std::string& column);

  /// Selects the columns to return (ascending); others may contain anything. Errors: a column
  /// without numbers.
  virtual Result<Done> select_columns(const std::vector<int>& columns) = 0;
  Result<Done> select(const std::vector<std::vector<int>>& columns) final;

  /// Reads the next row into `values`, one number per selected column, NaN where missing; returns
  /// false at the end of the file. Errors name the place in the file and the column.
  virtual Result<bool> next_row(double* values) = 0;
  Result<bool> next(ColumnBlock& block) final;

  /// Returns the number of the last row as counted in this format, and its place for an error:
  /// "path:line".
  std::int64_t line() const { return line_; }
  virtual std::string place_of(std::int64_t line) const = 0;
  std::string where(int, std::int64_t line) const final { return place_of(line); }
  std::string where() const final { return place_of(line_); }

 protected:
  explicit TableReader(std::string path) {
    name_ = std::move(path);
    groups_.resize(1);
  }

  std::vector<std::string>& header_names() { return groups_.front().columns; }

  /// Errors: duplicate column names.
  Result<Done> check_header() const;

  std::int64_t line_ = 0;

 private:
  std::size_t num_selected_ = 0;
  std::optional<Error> error_;  // error that follows the rows returned last
};

/// Returns an excerpt of the user's file in quotes, short and printable.
std::string printable(std::string_view text);

}  // namespace heft
