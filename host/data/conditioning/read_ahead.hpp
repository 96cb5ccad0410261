// Reads blocks of a source in a separate thread, a bounded number ahead of the consumer; reads the
// first few blocks synchronously, so short logs need no thread.
//
// Blocks, their order and errors are those of the source: an error follows the blocks before it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "heft/base/result.hpp"
#include "heft/log/source.hpp"

namespace heft {

class ReadAhead {
 public:
  /// The columns must have been selected. Keeps a reference to the source; until this object is
  /// destroyed, others may only call its where().
  explicit ReadAhead(Source& source);
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  /// Returns the next block, valid until the next call; null at the end. Errors: those of the
  /// source.
  Result<const ColumnBlock*> next();

  double fraction_read() const { return fraction_read_; }      ///< including the current block
  double disk_seconds() const { return disk_seconds_; }        ///< spent on the file
  double parsing_seconds() const { return parsing_seconds_; }  ///< spent on parsing numbers
  double waiting_seconds() const { return waiting_seconds_; }  ///< spent waiting in next()

 private:
  /// Slot for a block, or for the error in its place.
  struct Slot {
    ColumnBlock block;
    bool is_end = false;
    std::optional<Error> error;
    double fraction_read = 0;
    double disk_seconds = 0;
    double parsing_seconds = 0;
  };
  // read ahead at most 16 MB of a table's numbers unless single rows exceed a block: conditioning
  // and summing a window takes a while, and reading must not stall meanwhile
  static constexpr std::size_t kSlots = 128;
  static constexpr std::size_t kInTurn = 12;  ///< number of blocks before the thread starts: a few
                                              ///< thousand rows
  // the thread starts with slot 0; the last block returned by next() is in slot 1
  static_assert(kInTurn % 2 == 0);

  void begin_thread();
  void read();
  void fill(Slot& slot);
  void take_slot();

  Source& source_;

  // slots [num_taken_, num_filled_) are full, at their index modulo kSlots; the first is in use by
  // the consumer
  Slot slots_[kSlots];
  std::size_t num_filled_ = 0;
  std::size_t num_taken_ = 0;
  bool stops_ = false;
  std::mutex mutex_;
  std::condition_variable was_filled_, was_taken_;

  const Slot* slot_ = nullptr;   // in progress
  std::size_t num_in_turn_ = 0;  // blocks that next() read itself
  double fraction_read_ = 0, disk_seconds_ = 0, parsing_seconds_ = 0, waiting_seconds_ = 0;
  double read_seconds_ = 0;  // of the reading thread

  std::thread thread_;  // last member, because it uses all others
};

}  // namespace heft
