// Batches of independent tasks that a fixed number of threads share: a thread without work of its
// own helps the others.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <vector>

namespace heft::excite {

/// The batches of several threads. Each batch belongs to the thread that runs it. Tasks must not
/// run batches themselves.
class WorkShare {
 public:
  /// task(index, helper): helper 0 is the owner of the batch, 1 is any other thread.
  using Task = std::function<void(std::int64_t, int)>;

  /// Calls task for every index in [0, count) here and on helping threads; returns when all calls
  /// have returned. An exception of a task on another thread is rethrown here.
  void run(std::int64_t count, const Task& task) {
    Batch batch{.count = count, .task = &task};
    std::unique_lock lock(mutex_);
    batches_.push_back(&batch);
    has_news_.notify_all();
    std::exception_ptr thrown;
    while (batch.next < batch.count && !thrown) thrown = run_one(batch, 0, lock);
    std::erase(batches_, &batch);  // after an exception no thread begins another task of it
    has_news_.wait(lock, [&] { return batch.num_running == 0; });
    if (thrown) std::rethrow_exception(thrown);
    if (batch.thrown) std::rethrow_exception(batch.thrown);
  }

  /// Runs tasks of other threads' batches until close() is called.
  void help() {
    std::unique_lock lock(mutex_);
    while (!is_closed_) {
      if (Batch* const batch = open_batch()) {
        if (const auto thrown = run_one(*batch, 1, lock); thrown && !batch->thrown)
          batch->thrown = thrown;
        finish(*batch);
      } else {
        has_news_.wait(lock);
      }
    }
  }

  /// Lets every call of help() return.
  void close() {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    has_news_.notify_all();
  }

 private:
  struct Batch {
    std::int64_t count = 0, next = 0;
    const Task* task = nullptr;
    int num_running = 0;
    std::exception_ptr thrown = {};  ///< of the first helper that failed
  };

  Batch* open_batch() const {
    for (Batch* const batch : batches_)
      if (batch->next < batch->count) return batch;
    return nullptr;
  }

  /// Calls the task of the next index without the lock; the batch stays alive while it runs.
  std::exception_ptr run_one(Batch& batch, int helper, std::unique_lock<std::mutex>& lock) {
    const std::int64_t index = batch.next++;
    if (helper != 0) ++batch.num_running;
    lock.unlock();
    std::exception_ptr thrown;
    try {
      (*batch.task)(index, helper);
    } catch (...) {
      thrown = std::current_exception();
    }
    lock.lock();
    return thrown;
  }

  void finish(Batch& batch) {
    if (batch.thrown) batch.next = batch.count;
    if (--batch.num_running == 0) has_news_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable has_news_;
  std::vector<Batch*> batches_;
  bool is_closed_ = false;
};

}  // namespace heft::excite
