// Reads tables of numbers from text files (CSV and variants) in one pass and in constant memory.
//
// The first line that is not blank contains the column names; without a header, names come from the
// configuration or are "1", "2", ... Comments and exporter lines above the header are skipped if
// the header is unambiguous, as are a comment mark before the names and a delimiter at the end of
// every row. Supported: comma, semicolon, tab or blanks between fields, quoted names and fields,
// CRLF line ends, a byte-order mark, decimal commas (unless the comma is the delimiter), "nan", and
// empty fields, which are NaN; in the time column also text such as 2026-03-01T08:15:00Z, converted
// to seconds since the whole second of the first. Infinity, other text and numbers outside the
// range of double are errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "csv_fields.hpp"
#include "heft/base/result.hpp"
#include "log_file.hpp"
#include "table_reader.hpp"

namespace heft {

class CsvReader : public TableReader {
 public:
  /// Opens the file, reads its header and sets the format's clock. `read_size`: bytes per read,
  /// does not affect the result. Errors: an unreadable or empty file, duplicate column names,
  /// numbers in place of names, names in place of numbers.
  static Result<CsvReader> open(const std::string& path, const LogFormat& format,
                                std::size_t read_size = kReadSize);
  static Result<CsvReader> open(const std::string& path, const std::string& delimiter,
                                std::size_t read_size = kReadSize);

  Result<Done> select_columns(const std::vector<int>& columns) override;
  Result<bool> next_row(double* values) override;  ///< next_line(), then read_whole_row()
  std::string place_of(std::int64_t line) const override;
  double fraction_read() const override;
  double disk_seconds() const override { return file_.seconds(); }
  std::int64_t origin() const override { return origin_.value_or(0); }
  Result<std::string> sha256() override { return file_.sha256(); }

 private:
  CsvReader(LogFile file, std::size_t read_size)
      : TableReader(file.path()), file_(std::move(file)), read_size_(read_size) {}
  Result<Done> read_header(const LogFormat& format);
  Result<Done> number_columns(const LogFormat& format, const char* first_line);
  Result<double> read_stamp(std::string_view field, int column);
  Result<bool> next_line();
  Result<Done> read_row(double* values);
  Result<Done> read_whole_row(double* values);
  void skip_line();
  Error with_damaged_rows(Error first);
  Result<Done> refill();
  Result<Done> read_more();
  Result<std::vector<std::string_view>> look_ahead();
  void adapt_to_rows(std::vector<std::string_view> rows);
  Result<Done> check_fractions();
  Result<const char*> read_field(const char* p, const char* end, int column, double& value);
  Error wrong_field_count(const char* line) const;

  LogFile file_;
  std::size_t read_size_;
  CsvFields fields_;
  std::vector<char> selected_;  // per column
  bool rows_end_with_delimiter_ = false;
  bool drops_damaged_ = false;
  std::int64_t num_rows_read_ = 0;
  std::size_t usual_count_ = 0;  // number of fields in the first rows; 0: they differ
  enum class Stamps { numbers, texts, undecided } stamps_ = Stamps::numbers;
  std::optional<std::int64_t> origin_;  // [s] since 1970, for time text

  // buffer_[cursor_, lines_end_) holds complete lines, each with its '\n', followed by the start of
  // the next. A margin before and after them is readable.
  std::vector<char> buffer_;
  std::size_t cursor_ = 0;
  std::size_t lines_end_ = 0;
  std::size_t data_end_ = 0;
  bool end_of_file_ = false;
};

}  // namespace heft
