// Tables of numbers in text files (CSV and its relatives), read in one pass and in constant memory.
//
// The first line that is not blank names the columns. Understood: comma, semicolon, tab or blanks between
// fields, quoted names and fields, CRLF line ends, a byte-order mark, decimal commas (unless the comma is the
// delimiter), "nan", and empty fields, which count as nan. Infinity, text and numbers beyond double are
// errors.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "csv_fields.hpp"
#include "heft/base/result.hpp"
#include "log_file.hpp"
#include "table_reader.hpp"

namespace heft {

class CsvReader : public TableReader {
 public:
  /// Opens the file and reads its header. `delimiter`: "auto", or one character; `read_size`: bytes asked of
  /// the file at a time, without influence on what is read. Errors: unreadable or empty file, two columns of
  /// one name, numbers where names should be.
  static Result<CsvReader> open(const std::string& path, const std::string& delimiter,
                                std::size_t read_size = kReadSize);

  Result<Done> select_columns(const std::vector<int>& columns) override;
  Result<bool> next_row(double* values) override;
  std::string place_of(std::int64_t line) const override;
  double fraction_read() const override;
  double disk_seconds() const override { return file_.seconds(); }
  Result<std::string> sha256() override { return file_.sha256(); }

 private:
  CsvReader(LogFile file, std::size_t read_size)
      : TableReader(file.path()), file_(std::move(file)), read_size_(read_size) {}
  Result<Done> read_header(const std::string& delimiter);
  Result<bool> next_line();
  Result<Done> refill();
  Result<const char*> read_field(const char* p, const char* end, int column, double& value) const;
  Error wrong_field_count(const char* line) const;

  LogFile file_;
  std::size_t read_size_;
  CsvFields fields_;
  std::vector<char> selected_;  // per column

  // buffer_[cursor_, lines_end_) holds whole lines, each with its '\n'; then the start of the next. A margin before and
  // behind them may be looked at.
  std::vector<char> buffer_;
  std::size_t cursor_ = 0;
  std::size_t lines_end_ = 0;
  std::size_t data_end_ = 0;
  bool end_of_file_ = false;
};

}  // namespace heft
