// Independent tasks over a fixed number of threads. Which thread takes which task is left to chance, so tasks
// must write to places of their own.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace heft {

/// Calls task(index, thread) for every index in [0, num_tasks), thread in [0, num_threads).
template <class Task>
void parallel_for(std::int64_t num_tasks, int num_threads, const Task& task) {
  if (num_threads > num_tasks) num_threads = static_cast<int>(num_tasks);
  std::atomic<std::int64_t> next{0};
  auto work = [&](int thread) {
    for (std::int64_t index = next++; index < num_tasks; index = next++) task(index, thread);
  };
  std::vector<std::jthread> helpers;
  for (int thread = 1; thread < num_threads; ++thread) helpers.emplace_back(work, thread);
  work(0);
}

}  // namespace heft
