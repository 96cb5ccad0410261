#include "read_ahead.hpp"

#include <chrono>
#include <system_error>

namespace heft {

namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

ReadAhead::ReadAhead(Source& source) : source_(source), read_seconds_(source.disk_seconds()) {}

// The block handed out was returned.
void ReadAhead::begin_thread() {
  slot_ = nullptr;
  num_taken_ = 0;
  try {
    thread_ = std::thread([this] { read(); });
  } catch (const std::system_error&) {
    // no thread can be created: next() reads
  }
}

ReadAhead::~ReadAhead() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
  }
  was_taken_.notify_one();
  thread_.join();
}

void ReadAhead::read() {
  for (std::size_t k = 0;; ++k) {
    {
      std::unique_lock lock(mutex_);
      was_taken_.wait(lock, [&] { return stops_ || k - num_taken_ < kSlots; });
      if (stops_) return;
    }
    Slot& slot = slots_[k % kSlots];
    fill(slot);
    const bool is_last = slot.is_end || slot.error;
    {
      const std::lock_guard lock(mutex_);
      num_filled_ = k + 1;
    }
    was_filled_.notify_one();
    if (is_last) return;
  }
}

void ReadAhead::fill(Slot& slot) {
  const double start = seconds_now();
  const auto found = source_.next(slot.block);
  if (!found) slot.error = found.error();
  slot.is_end = found && !*found;
  slot.fraction_read = source_.fraction_read();
  read_seconds_ += seconds_now() - start;
  slot.disk_seconds = source_.disk_seconds();
  slot.parsing_seconds = read_seconds_ - slot.disk_seconds;
}

// Returns the slot handed out and waits for the next.
void ReadAhead::take_slot() {
  const double start = seconds_now();
  if (num_in_turn_ == kInTurn) begin_thread();
  if (!thread_.joinable()) {
    // alternate buffers: the last block stays valid at the end, as with a thread
    Slot& slot = slots_[num_in_turn_++ % 2];
    fill(slot);
    slot_ = &slot;
  } else {
    num_in_turn_ = kInTurn + 1;  // the thread goes on
    std::unique_lock lock(mutex_);
    if (slot_) {
      ++num_taken_;
      was_taken_.notify_one();
    }
    was_filled_.wait(lock, [&] { return num_taken_ < num_filled_; });
    slot_ = &slots_[num_taken_ % kSlots];
  }
  waiting_seconds_ += seconds_now() - start;
  fraction_read_ = slot_->fraction_read;
  disk_seconds_ = slot_->disk_seconds;
  parsing_seconds_ = slot_->parsing_seconds;
}

Result<const ColumnBlock*> ReadAhead::next() {
  if (!slot_ || !(slot_->is_end || slot_->error)) take_slot();
  if (slot_->error) return *slot_->error;
  return slot_->is_end ? nullptr : &slot_->block;
}

}  // namespace heft
