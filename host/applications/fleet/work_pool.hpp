// Distributes tasks over threads while the calling thread handles signals, the time budget and
// progress reports.
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

  /// `time_s`: time until all tasks must end, from now on; 0: no limit.
  WorkPool(int num_threads, double time_s, Progress progress);

  /// Calls task(index, progress) for all of [0, num_tasks) in any order. `progress` returns false
  /// once the run must end; the task then leaves nothing half done. Returns false in that case.
  bool run(const std::string& stage, const char* unit, std::size_t num_tasks,
           const std::function<void(std::size_t, const Progress&)>& task);

  /// Progress for the caller of run(); returns false once the run must end.
  Progress progress() const {
    return
        [this](const std::string& words, double fraction) { return !must_stop(words, fraction); };
  }
  bool is_stopped() const { return is_stopped_; }
  int num_threads() const { return num_threads_; }
  /// Uses fewer threads from the next run on.
  void limit_threads(int most) { num_threads_ = most < num_threads_ ? most : num_threads_; }

 private:
  bool must_stop(const std::string& words, double fraction) const;

  int num_threads_;
  Clock::time_point end_;
  Progress progress_;
  bool is_stopped_ = false;
};

}  // namespace heft
