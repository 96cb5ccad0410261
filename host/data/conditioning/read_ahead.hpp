// Blocks of a source, read by a thread of their own a bounded number ahead of the thread that works
// on them; the first few are read in turn, so that a short log needs no thread.
//
// The blocks, their order and their errors are those of the source: an error comes after the blocks
// before it.
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
  /// The columns have been selected. Keeps a reference to the source, which must not be used by
  /// others until this has ended, but for where().
  explicit ReadAhead(Source& source);
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  /// The next block, valid until the next call; null at the end. Errors: the source's.
  Result<const ColumnBlock*> next();

  double fraction_read() const { return fraction_read_; }      ///< with the block handed out
  double disk_seconds() const { return disk_seconds_; }        ///< spent on the file
  double parsing_seconds() const { return parsing_seconds_; }  ///< spent on making numbers of it
  double waiting_seconds() const {
    return waiting_seconds_;
  }  ///< that the caller of next() had to wait

 private:
  /// A place for a block, or for what came instead of one.
  struct Slot {
    ColumnBlock block;
    bool is_end = false;
    std::optional<Error> error;
    double fraction_read = 0;
    double disk_seconds = 0;
    double parsing_seconds = 0;
  };
  // read ahead, at most 16 MB of a table's numbers unless single rows are longer than a block: a
  // window is conditioned and summed in one go, and reading must not stand still meanwhile
  static constexpr std::size_t kSlots = 128;
  static constexpr std::size_t kInTurn = 12;  ///< blocks before there is a thread: some thousand
                                              ///< rows
  // the thread begins with slot 0, and what next() handed out last lies in slot 1
  static_assert(kInTurn % 2 == 0);

  void begin_thread();
  void read();
  void fill(Slot& slot);
  void take_slot();

  Source& source_;

  // slots [num_taken_, num_filled_) are full, each in its place modulo kSlots; the first is being
  // handed out
  Slot slots_[kSlots];
  std::size_t num_filled_ = 0;
  std::size_t num_taken_ = 0;
  bool stops_ = false;
  std::mutex mutex_;
  std::condition_variable was_filled_, was_taken_;

  const Slot* slot_ = nullptr;   // under way
  std::size_t num_in_turn_ = 0;  // blocks that next() read itself
  double fraction_read_ = 0, disk_seconds_ = 0, parsing_seconds_ = 0, waiting_seconds_ = 0;
  double read_seconds_ = 0;  // by the reading thread

  std::thread thread_;  // last, as it uses all the others
};

}  // namespace heft
