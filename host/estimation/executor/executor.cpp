#include "heft/executor/executor.hpp"

#include <algorithm>
#include <limits>

#include "backend_with_host.hpp"
#include "solve/device_batch_solver.hpp"
#include "solve/solve_resampled.hpp"

namespace heft {

namespace {

std::string lanes() {
  return std::string("cpu (") + batch_instruction_set() + ")";
}

/// Returns this many unsolved resamples.
Resampled unsolved(const Problem& whole, const Eigen::MatrixXi& draws) {
  return {.x = Eigen::MatrixXd::Constant(whole.layout.num_parameters(), draws.cols(),
                                         std::numeric_limits<double>::quiet_NaN()),
          .solved = std::vector<bool>(static_cast<std::size_t>(draws.cols()), false)};
}

}  // namespace

Executor::Executor(std::unique_ptr<Backend> rows, std::shared_ptr<DeviceBatchSolver> device,
                   int num_threads)
    : rows_(std::move(rows)), device_(std::move(device)), num_threads_(num_threads) {}

BatchOptions Executor::batch(const SolveOptions& options, const Progress& progress) const {
  return {.solve = options, .num_threads = num_threads_, .device = device_, .progress = progress};
}

Result<std::vector<Solution>> Executor::counted(const char* purpose,
                                                Result<std::vector<Solution>> solutions) {
  if (!solutions) return solutions;
  const std::int64_t by_device = std::count_if(solutions->begin(), solutions->end(),
                                               [](const Solution& s) { return s.by_device; });
  if (by_device > 0) count(purpose, device_->description(), by_device);
  count(purpose, lanes(), std::ssize(*solutions) - by_device);
  return solutions;
}

void Executor::count(const char* purpose, const std::string& by, std::int64_t problems) {
  if (problems == 0) return;
  const std::lock_guard lock(mutex_);
  solved_[{purpose, by}] += problems;
}

Result<std::vector<Solution>> Executor::solve(const char* purpose,
                                              const std::vector<Problem>& problems,
                                              const SolveOptions& options,
                                              const Progress& progress) {
  return counted(purpose, solve_batch(problems, batch(options, progress)));
}

Result<std::vector<Solution>> Executor::solve_made(const char* purpose, int count,
                                                   const std::function<Result<Problem>(int)>& make,
                                                   const SolveOptions& options,
                                                   const Progress& progress) {
  return counted(purpose, heft::solve_made(count, make, batch(options, progress)));
}

Result<Resampled> Executor::solve_resampled(const char* purpose, const Problem& whole,
                                            const std::vector<NormalEquations>& blocks,
                                            const Eigen::MatrixXi& draws,
                                            const SolveOptions& options, const Progress& progress) {
  if (has_device() || !can_be_resampled(whole, options)) return unsolved(whole, draws);
  auto resampled = heft::solve_resampled(whole, blocks, draws, options, num_threads_, progress);
  if (resampled)
    count(purpose, lanes(), std::count(resampled->solved.begin(), resampled->solved.end(), true));
  return resampled;
}

std::vector<SolveCount> Executor::solved(const std::vector<SolveCount>& before) const {
  auto counts = [&] {
    const std::lock_guard lock(mutex_);
    return solved_;
  }();
  if (const CallsOnHost calls = calls_on_host(*rows_); calls.num_calls > 0)
    counts[{"rows that the device's memory cannot hold", calls.by}] += calls.num_calls;
  for (const SolveCount& count : before) counts[{count.purpose, count.by}] -= count.problems;
  std::vector<SolveCount> solved;
  for (const auto& [key, problems] : counts)
    if (problems > 0) solved.push_back({key.first, key.second, problems});
  return solved;
}

}  // namespace heft
