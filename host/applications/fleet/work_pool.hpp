// Distributes tasks over threads while the calling thread handles signals, the time budget and
// progress reports.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "heft/base/result.hpp"

namespace heft {

/// Admits the workers of a pool that may have more of them than there are cores.
class WorkerGate {
 public:
  virtual ~WorkerGate() = default;
  /// Announces workers, before the first of them enters.
  virtual void expect(int num_workers) = 0;
  virtual void enter() = 0;  ///< called by a worker before its first task; waits for a core
  virtual void leave() = 0;  ///< called by a worker after its last task
};

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
  void limit_threads(int most);
  /// From the next run on, uses `num_workers`, at least one per thread, which pass through `gate`.
  void use_gate(std::shared_ptr<WorkerGate> gate, int num_workers);

 private:
  bool must_stop(const std::string& words, double fraction) const;

  int num_threads_;
  std::shared_ptr<WorkerGate> gate_;
  int num_workers_ = 0;  ///< with a gate
  Clock::time_point end_;
  Progress progress_;
  bool is_stopped_ = false;
};

}  // namespace heft
