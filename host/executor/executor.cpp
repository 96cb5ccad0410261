#include "heft/executor/executor.hpp"

#include <algorithm>

#include "solve/device_batch_solver.hpp"

namespace heft {

Executor::Executor(std::unique_ptr<Backend> rows, std::shared_ptr<DeviceBatchSolver> device, int num_threads)
    : rows_(std::move(rows)), device_(std::move(device)), num_threads_(num_threads) {}

BatchOptions Executor::batch(const SolveOptions& options, const Progress& progress) const {
  return {.solve = options, .num_threads = num_threads_, .device = device_, .progress = progress};
}

Result<std::vector<Solution>> Executor::counted(const char* purpose,
                                                Result<std::vector<Solution>> solutions) {
  if (!solutions) return solutions;
  const std::int64_t by_device =
      std::count_if(solutions->begin(), solutions->end(), [](const Solution& s) { return s.by_device; });
  const std::lock_guard lock(mutex_);
  if (by_device > 0) solved_[{purpose, device_->description()}] += by_device;
  if (const std::int64_t others = std::ssize(*solutions) - by_device; others > 0)
    solved_[{purpose, std::string("cpu (") + batch_instruction_set() + ")"}] += others;
  return solutions;
}

Result<std::vector<Solution>> Executor::solve(const char* purpose, const std::vector<Problem>& problems,
                                              const SolveOptions& options, const Progress& progress) {
  return counted(purpose, solve_batch(problems, batch(options, progress)));
}

Result<std::vector<Solution>> Executor::solve_made(const char* purpose, int count,
                                                   const std::function<Result<Problem>(int)>& make,
                                                   const SolveOptions& options, const Progress& progress) {
  return counted(purpose, heft::solve_made(count, make, batch(options, progress)));
}

std::vector<SolveCount> Executor::solved(const std::vector<SolveCount>& before) const {
  auto counts = [&] {
    const std::lock_guard lock(mutex_);
    return solved_;
  }();
  for (const SolveCount& count : before) counts[{count.purpose, count.by}] -= count.problems;
  std::vector<SolveCount> solved;
  for (const auto& [key, problems] : counts)
    if (problems > 0) solved.push_back({key.first, key.second, problems});
  return solved;
}

}  // namespace heft
