#include "row_stream.hpp"

#include <algorithm>
#include <chrono>
#include <system_error>

namespace heft {

namespace {

constexpr std::size_t kMaxRows = 256;  ///< of a block
constexpr std::size_t kBlockNumbers = std::size_t{1}
                                      << 14;  ///< numbers of a block at most, but for a single row

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

RowStream::RowStream(TableReader& reader, std::size_t num_columns)
    : reader_(reader),
      num_columns_(num_columns),
      block_rows_(
          std::clamp<std::size_t>(kBlockNumbers / std::max<std::size_t>(num_columns, 1), 1, kMaxRows)),
      line_(reader.line()),
      read_seconds_(reader.disk_seconds()) {
  try {
    thread_ = std::thread([this] { read_ahead(); });
  } catch (const std::system_error&) {
    // no thread is to be had: next() reads
  }
}

RowStream::~RowStream() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
  }
  was_taken_.notify_one();
  thread_.join();
}

void RowStream::read_ahead() {
  for (std::size_t k = 0;; ++k) {
    {
      std::unique_lock lock(mutex_);
      was_taken_.wait(lock, [&] { return stops_ || k - num_taken_ < kBlocks; });
      if (stops_) return;
    }
    Block& block = blocks_[k % kBlocks];
    fill(block);
    const bool is_last = block.is_last;
    {
      const std::lock_guard lock(mutex_);
      num_filled_ = k + 1;
    }
    was_filled_.notify_one();
    if (is_last) return;
  }
}

void RowStream::fill(Block& block) {
  const double start = seconds_now();
  block.numbers.resize(block_rows_ * num_columns_);
  block.lines.clear();
  while (block.lines.size() < block_rows_ && !block.is_last) {
    const auto found = reader_.next_row(block.numbers.data() + block.lines.size() * num_columns_);
    if (found && *found) {
      block.lines.push_back(reader_.line());
    } else {
      block.is_last = true;
      if (!found) block.error = found.error();
    }
  }
  block.fraction_read = reader_.fraction_read();
  read_seconds_ += seconds_now() - start;
  block.disk_seconds = reader_.disk_seconds();
  block.parsing_seconds = read_seconds_ - block.disk_seconds;
}

// Gives the block that was handed out back and waits for the next.
void RowStream::take_block() {
  const double start = seconds_now();
  if (!thread_.joinable()) {
    fill(blocks_[0]);
    block_ = &blocks_[0];
  } else {
    std::unique_lock lock(mutex_);
    if (block_) {
      ++num_taken_;
      was_taken_.notify_one();
    }
    was_filled_.wait(lock, [&] { return num_taken_ < num_filled_; });
    block_ = &blocks_[num_taken_ % kBlocks];
  }
  waiting_seconds_ += seconds_now() - start;
  row_ = 0;
  fraction_read_ = block_->fraction_read;
  disk_seconds_ = block_->disk_seconds;
  parsing_seconds_ = block_->parsing_seconds;
}

Result<const double*> RowStream::next() {
  while (!block_ || row_ == block_->lines.size()) {
    if (block_ && block_->error) return *block_->error;
    if (block_ && block_->is_last) return nullptr;
    take_block();
  }
  line_ = block_->lines[row_];
  return block_->numbers.data() + num_columns_ * row_++;
}

}  // namespace heft
