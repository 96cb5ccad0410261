#include "conditioning/condition_ahead.hpp"

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace heft {

namespace {

constexpr std::size_t kMaxBlocks = 2;  ///< a window of a log each

/// Queue of blocks from the conditioning thread to the consumer.
class BlockQueue {
 public:
  struct Item {
    int segment;
    Samples block;
    double fraction;
  };

  /// Waits for room. False after the consumer has stopped.
  bool push(Item item) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_closed_ || items_.size() < kMaxBlocks; });
    if (is_closed_) return false;
    items_.push_back(std::move(item));
    changed_.notify_all();
    return true;
  }

  /// Waits for a block; empty after the last one.
  std::optional<Item> pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_complete_ || !items_.empty(); });
    if (items_.empty()) return std::nullopt;
    Item item = std::move(items_.front());
    items_.pop_front();
    changed_.notify_all();
    return item;
  }

  void complete() { set(is_complete_); }  ///< no more come
  void close() { set(is_closed_); }       ///< no more are wanted

 private:
  void set(bool& flag) {
    const std::lock_guard lock(mutex_);
    flag = true;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> items_;
  bool is_complete_ = false, is_closed_ = false;
};

/// Stops the thread when the caller stops, for any reason.
struct EndOfThread {
  BlockQueue& queue;
  std::thread& thread;
  ~EndOfThread() {
    queue.close();
    thread.join();
  }
};

}  // namespace

Result<LogSummary> condition_ahead(const Log& log, const LogReading& reading,
                                   const OwningBlockSink& sink, const HearFraction& progress) {
  BlockQueue queue;
  double fraction = 0;  // of the thread that conditions
  std::optional<Result<LogSummary>> summary;
  std::exception_ptr thrown;  // such as an allocation failure
  const auto condition = [&] {
    const auto push = [&](int segment, const Samples& block) -> Result<Done> {
      if (queue.push({segment, block, fraction})) return Done{};
      return Error{log.name(), "was canceled after an earlier error", "fix the earlier error"};
    };
    try {
      summary = condition_log(log, reading, push, [&](double read) { fraction = read; });
    } catch (...) {
      thrown = std::current_exception();
    }
    queue.complete();
  };
  std::thread thread;
  try {
    thread = std::thread(condition);
  } catch (const std::system_error&) {  // no thread can be created
    return condition_log(log, reading, sink, progress);
  }
  const EndOfThread end{queue, thread};
  while (std::optional<BlockQueue::Item> item = queue.pop()) {
    if (progress) progress(item->fraction);
    HEFT_CHECK(sink(item->segment, std::move(item->block)));
  }
  if (thrown) std::rethrow_exception(thrown);
  return std::move(*summary);
}

}  // namespace heft
