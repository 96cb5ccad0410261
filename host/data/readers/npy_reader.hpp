// Logs in NumPy arrays (.npy): one structured array whose fields are the columns, or a plain
// two-dimensional array, rows x columns, with names from the configuration.
//
// A field of n numbers becomes n columns, name1 .. name<n>. Numbers are little-endian floating
// point of four or eight bytes, or integers. C order is read sequentially, Fortran order by blocks
// of every column in turn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "heft/base/result.hpp"
#include "log_file.hpp"
#include "npy_header.hpp"
#include "table_reader.hpp"

namespace heft {

class NpyReader : public TableReader {
 public:
  /// `names`: of the columns of a plain array. Errors: a broken header, a shape that is not a
  /// table, missing or surplus names, a truncated file.
  static Result<NpyReader> open(const std::string& path, const std::vector<std::string>& names,
                                std::size_t read_size = kReadSize);

  Result<Done> select_columns(const std::vector<int>& columns) override;
  Result<bool> next_row(double* values) override;
  std::string place_of(std::int64_t line) const override;
  double fraction_read() const override;
  double disk_seconds() const override { return file_.seconds(); }
  Result<std::string> sha256() override { return file_.sha256(); }

 private:
  struct Column {
    NpyNumber number;
    std::uint64_t offset;  // of its first number after the header
    std::string type;
  };
  struct Selected {
    int column;
    NpyNumber number;
    std::size_t begin;  // of its first number in the block
  };

  NpyReader(LogFile file, std::size_t read_size)
      : TableReader(file.path()), file_(std::move(file)), read_size_(read_size) {
    line_ = -1;
  }
  Result<Done> read_header(const std::vector<std::string>& names);
  Result<Done> make_columns(const NpyHeader& header, const std::vector<std::string>& names);
  Result<Done> read_block();
  Result<Done> read_bytes(char* to, std::size_t size);

  LogFile file_;
  std::size_t read_size_;
  std::uint64_t data_begin_ = 0;  // offset of the first row

  std::vector<Column> columns_;
  std::uint64_t num_rows_ = 0;
  bool by_columns_ = false;  // Fortran order
  std::size_t stride_ = 0;   // bytes between rows of a column
  std::vector<Selected> selected_;

  std::vector<char> block_;
  std::uint64_t row_ = 0;          // next to return
  std::uint64_t block_begin_ = 0;  // rows of the block
  std::uint64_t block_end_ = 0;
};

}  // namespace heft
