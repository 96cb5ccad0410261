// Runs all starts of a search on several threads. Results do not depend on the number of threads,
// unless time runs out.
#pragma once

#include <atomic>
#include <chrono>
#include <cmath>
#include <ctime>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "search.hpp"

namespace heft::excite {

/// Returns the processor time of the calling thread.
inline double thread_cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Wall-clock time, and processor time of this search alone: other searches may run in the process.
struct Clocks {
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  double cpu = thread_cpu_seconds();
  mutable std::atomic<double> cpu_of_helpers{0};  ///< of starts on other threads
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  /// To be called on the thread that made this object.
  double cpu_seconds() const { return thread_cpu_seconds() - cpu + cpu_of_helpers; }
};

/// Returns the number of samples that a search uses: twenty per second, between 100 and 4000.
int search_samples(const MotionShape& shape);

class Starts {
 public:
  /// All arguments must outlive this object.
  Starts(const Task& task, const ExciteOptions& options, const StartOptions& of_each,
         const Clocks& clocks, const Progress& progress);

  void run();
  bool is_stopped() const { return is_stopped_; }
  bool is_out_of_time() const { return is_out_of_time_; }

  /// Reports progress: the best motion so far.
  std::string words_of_best() const;

  /// Returns the best feasible motion, otherwise the one closest to feasible; sums the effort of
  /// all starts.
  const StartResult& best(SearchEffort& effort) const;

 private:
  bool goes_on(int thread);
  void run_one(std::int64_t start, int thread);

  const Task& task_;
  const ExciteOptions& options_;
  const StartOptions& of_each_;
  const Clocks& clocks_;
  const Progress& progress_;
  std::vector<StartResult> results_;
  std::vector<char> begun_;
  std::atomic<int> num_done_{0};
  std::atomic<bool> is_stopped_{false}, is_out_of_time_{false};
  std::atomic<double> least_{HUGE_VAL};
};

}  // namespace heft::excite
