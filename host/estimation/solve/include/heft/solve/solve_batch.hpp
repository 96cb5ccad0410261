// Many problems at once: cross-validation, bootstrap, fleets, hypotheses. One SIMD lane is one
// problem, or on a GPU one block of threads. Threads: any number of threads may call, each with
// objects of its own; what is const may be shared. A call takes BatchOptions::num_threads threads;
// a device may be shared, its calls take turns.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/solve/problem.hpp"
#include "heft/solve/solve.hpp"

#pragma GCC visibility push(default)
namespace heft {

class DeviceBatchSolver;  // made by executor.hpp

struct BatchOptions {
  SolveOptions solve;
  int num_threads = 1;                                  ///< of the host
  std::shared_ptr<DeviceBatchSolver> device = nullptr;  ///< null: the lanes of the CPU
  Progress progress = {};                               ///< may stop the batch between shares of it
};

/// Solutions in the order of the problems. Plain problems with the metric prior (bodies and signs
/// only, strongly convex) run in lanes, eight on AVX-512 and four on AVX2, grouped by shape; the
/// rest, and lanes that do not converge, one by one as solve() does. SolveMethod::automatic runs a
/// semismooth Newton method of its own, which starts at the unconstrained minimizer of the
/// objective; the other methods go problem by problem. A GPU knows the semismooth method alone, and
/// leaves what that does not finish to solve(). Neither the number of threads nor a problem's
/// neighbors change its answer, except that instruction sets differ in the last bits. What a
/// device does not take is solved on the CPU: other methods than automatic, problems that are not
/// plain or too large; Solution::by_device says who it was. Fails on options that make no sense, or
/// where a device breaks down; stopped().
Result<std::vector<Solution>> solve_batch(const std::vector<Problem>& problems,
                                          const BatchOptions& options = {});

/// The same of problems 0 .. count - 1 that make(k) makes, on all threads; few are in memory at a
/// time. Fails where make does.
Result<std::vector<Solution>> solve_made(int count, const std::function<Result<Problem>(int)>& make,
                                         const BatchOptions& options = {});

/// "AVX-512", "AVX2" or "baseline": what solve_batch runs on here.
const char* batch_instruction_set();

}  // namespace heft
#pragma GCC visibility pop
