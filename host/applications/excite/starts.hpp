// All starts of a search, over threads; what they find does not depend on how many there are,
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

/// Of the wall and of the processor.
struct Clocks {
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  std::clock_t cpu = std::clock();
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  double cpu_seconds() const { return static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC; }
};

/// At how many samples a search looks at a motion: twenty a second, 100 to 4000.
int search_samples(const MotionShape& shape);

class Starts {
 public:
  /// All of them outlive this.
  Starts(const Task& task, const ExciteOptions& options, const StartOptions& of_each,
         const Clocks& clocks, const Progress& progress);

  void run();
  bool is_stopped() const { return is_stopped_; }
  bool is_out_of_time() const { return is_out_of_time_; }

  /// What is told of progress: the best so far.
  std::string words_of_best() const;

  /// The best that is feasible, else the one that is nearest to it; counts what all of them took.
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
