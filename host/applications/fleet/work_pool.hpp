// Tasks shared out over threads while the thread that called watches: it hears of signals, keeps
// the time budget and tells how far all have come.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

#include "heft/base/result.hpp"

namespace heft {

class WorkPool {
 public:
  using Clock = std::chrono::steady_clock;

  /// `time_s`: until the end of all, from now on; 0: no end.
  WorkPool(int num_threads, double time_s, Progress progress);

  /// Calls task(index, progress) for all of [0, num_tasks) in any order. `progress` says no once
  /// all is to end; a task that hears it leaves nothing half done. False if it came to that.
  bool run(const std::string& stage, const char* unit, std::size_t num_tasks,
           const std::function<void(std::size_t, const Progress&)>& task);

  /// What the caller of run() hears; says no once all is to end.
  Progress progress() const {
    return
        [this](const std::string& words, double fraction) { return !must_stop(words, fraction); };
  }
  bool is_stopped() const { return is_stopped_; }
  int num_threads() const { return num_threads_; }
  /// Fewer threads from the next run on.
  void limit_threads(int most) { num_threads_ = most < num_threads_ ? most : num_threads_; }

 private:
  bool must_stop(const std::string& words, double fraction) const;

  int num_threads_;
  Clock::time_point end_;
  Progress progress_;
  bool is_stopped_ = false;
};

}  // namespace heft
