// Tables of numbers in text files (CSV and its relatives), read in one pass and in constant memory.
//
// The first line that is not blank names the columns. Understood: comma, semicolon, tab or blanks between
// fields, quoted names and fields, CRLF line ends, a byte-order mark, decimal commas (unless the comma is the
// delimiter), "nan", and empty fields, which count as nan. Infinity, text and numbers beyond double are
// errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "heft/result.hpp"
#include "host/files/sha256.hpp"
#include "host/log/table_reader.hpp"

namespace heft {

class CsvReader : public TableReader {
 public:
  /// Opens the file and reads its header. `delimiter`: "auto", or one character; `read_size`: bytes asked of
  /// the file at a time, without influence on what is read. Errors: unreadable or empty file, two columns of
  /// one name, numbers where names should be.
  static Result<CsvReader> open(const std::string& path, const std::string& delimiter,
                                std::size_t read_size = kReadSize);

  Result<Done> select(const std::vector<int>& columns) override;
  Result<bool> next_row(double* values) override;
  std::string where(std::int64_t line) const override;
  using TableReader::where;
  double fraction_read() const override;
  std::string sha256() override { return sha256_.hex_digest(); }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  CsvReader() = default;
  Result<Done> read_header(const std::string& delimiter);
  Result<bool> next_line();
  Result<Done> refill();
  std::size_t read_bytes(char* to);
  Result<const char*> read_field(const char* p, const char* end, int column, double& value) const;
  Result<double> convert(const char* begin, const char* end, int column) const;
  const char* field_end(const char* p) const;
  const char* skip_blanks(const char* p) const;
  bool separates(char c) const { return c == delimiter_ || (delimiter_ == ' ' && c == '\t'); }
  bool closes_field(const char* p) const {
    return separates(*p) || *p == '\n' || (*p == '\r' && p[1] == '\n');
  }
  Error wrong_field_count(const char* line) const;

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::size_t read_size_ = kReadSize;
  std::uint64_t file_size_ = 0;
  std::uint64_t bytes_read_ = 0;
  Sha256 sha256_;

  char delimiter_ = ',';
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
