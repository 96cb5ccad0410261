// Tables of numbers with named columns, row after row, in one pass and in constant memory: what the formats of log
// files have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/log/log.hpp"

#pragma GCC visibility push(default)
namespace heft {

class TableReader {
 public:
  static constexpr std::size_t kReadSize = std::size_t{1} << 18;

  virtual ~TableReader() = default;

  const std::vector<std::string>& header() const { return header_; }

  /// The columns (ascending) to hand out; the others may hold anything. Errors: a column without numbers.
  virtual Result<Done> select(const std::vector<int>& columns) = 0;

  /// Reads the next row into `values`, one number per selected column, nan where it is missing; false at the end of
  /// the file. Errors name the place in the file, and the column.
  virtual Result<bool> next_row(double* values) = 0;

  /// Number of the row last read as people count in this format, and its place for an error: "path:line".
  std::int64_t line() const { return line_; }
  virtual std::string where(std::int64_t line) const = 0;
  std::string where() const { return where(line_); }

  virtual double fraction_read() const = 0;  ///< share of the file, 0 .. 1

  /// Spent so far waiting for bytes of the file.
  virtual double disk_seconds() const = 0;

  /// SHA-256 of the file, once next_row has said false. Errors: what follows the rows cannot be read.
  virtual Result<std::string> sha256() = 0;

 protected:
  /// Errors: two columns of one name.
  Result<Done> check_header() const;

  TableReader() = default;
  TableReader(TableReader&&) = default;
  TableReader& operator=(TableReader&&) = default;

  std::vector<std::string> header_;
  std::int64_t line_ = 0;
};

/// A piece of the user's file in quotes, short and printable.
std::string printable(std::string_view text);

/// Opens a log, whose first bytes say what it is; what is no other format is text. `read_size`: bytes asked of the
/// file at a time, without influence on what is read. Errors: unreadable or empty file, a broken header.
Result<std::unique_ptr<TableReader>> open_table(const std::string& path, const LogFormat& format,
                                                std::size_t read_size = TableReader::kReadSize);

}  // namespace heft
#pragma GCC visibility pop
