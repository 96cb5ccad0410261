// Independent tasks that may fail, over a fixed number of threads, with progress reports.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/parallel_for.hpp"
#include "heft/base/result.hpp"

namespace heft {

/// Calls task(index, thread), which returns Result<Done>, like parallel_for. After an error no task
/// with a higher index starts, and after cancellation no task at all. `progress` is called on the
/// calling thread, thread 0. Errors: that of the lowest index, independent of the number of
/// threads; stopped().
template <class Task>
Result<Done> parallel_tasks(std::int64_t num_tasks, int num_threads, const Progress& progress,
                            const std::string& stage, const Task& task) {
  std::vector<std::optional<Error>> errors(static_cast<std::size_t>(num_tasks));
  std::atomic<std::int64_t> num_done{0};
  std::atomic<std::int64_t> first_error{num_tasks};
  std::atomic<bool> is_stopped{false};
  parallel_for(num_tasks, num_threads, [&](std::int64_t index, int thread) {
    if (is_stopped || index > first_error) return;
    if (thread == 0) {
      const double fraction = static_cast<double>(num_done) / static_cast<double>(num_tasks);
      if (!report_progress(progress, stage, fraction)) {
        is_stopped = true;
        return;
      }
    }
    if (Result<Done> done = task(index, thread); !done) {
      errors[static_cast<std::size_t>(index)] = done.error();
      std::int64_t first = first_error;
      while (index < first && !first_error.compare_exchange_weak(first, index)) {
      }
    }
    ++num_done;
  });
  if (is_stopped) return stopped();
  for (const std::optional<Error>& error : errors)
    if (error) return *error;
  return Done{};
}

}  // namespace heft
