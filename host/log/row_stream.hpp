// Rows of a table, read by a thread of their own a bounded number of blocks ahead of whoever works on them.
//
// The rows, their order and their errors are those of the reader: an error comes after the rows before it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "heft/base/result.hpp"
#include "log/table_reader.hpp"

namespace heft {

class RowStream {
 public:
  /// Starts reading; the columns have been selected, `num_columns` of them. Keeps a reference to the reader, which must
  /// not be used by others until the stream has ended.
  RowStream(TableReader& reader, std::size_t num_columns);
  ~RowStream();
  RowStream(const RowStream&) = delete;
  RowStream& operator=(const RowStream&) = delete;

  /// Numbers of the next row, valid until the next call; null at the end. Errors: the reader's.
  Result<const double*> next();

  std::string where() const { return reader_.where(line_); }   ///< of the row last handed out
  double fraction_read() const { return fraction_read_; }      ///< with the rows handed out
  double disk_seconds() const { return disk_seconds_; }        ///< spent on the file
  double parsing_seconds() const { return parsing_seconds_; }  ///< spent on making numbers of it
  double waiting_seconds() const { return waiting_seconds_; }  ///< that the caller of next() had to wait

 private:
  struct Block {
    std::vector<double> numbers;      // row by row
    std::vector<std::int64_t> lines;  // of each row
    std::optional<Error> error;       // that came after them
    bool is_last = false;
    double fraction_read = 0;
    double disk_seconds = 0;
    double parsing_seconds = 0;
  };
  // read ahead, at most 16 MB of numbers unless single rows are longer than a block: a window is conditioned and summed in
  // one go, and reading must not stand still meanwhile
  static constexpr std::size_t kBlocks = 128;

  void read_ahead();
  void fill(Block& block);
  void take_block();

  TableReader& reader_;
  std::size_t num_columns_;
  std::size_t block_rows_;

  // blocks [num_taken_, num_filled_) are full, each in its place modulo kBlocks; the first is being handed out
  Block blocks_[kBlocks];
  std::size_t num_filled_ = 0;
  std::size_t num_taken_ = 0;
  bool stops_ = false;
  std::mutex mutex_;
  std::condition_variable was_filled_, was_taken_;

  const Block* block_ = nullptr;  // under way
  std::size_t row_ = 0;           // next of it
  std::int64_t line_ = 0;
  double fraction_read_ = 0, disk_seconds_ = 0, parsing_seconds_ = 0, waiting_seconds_ = 0;
  double read_seconds_ = 0;  // by the reading thread

  std::thread thread_;  // last, as it uses all the others
};

}  // namespace heft
