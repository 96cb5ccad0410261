// Solves many problems at once: cross-validation, bootstrap, fleets, hypotheses. Each problem takes
// one SIMD lane, or one block of threads on a GPU. Threads: safe to call from several threads on
// separate objects; const objects may be shared. A call uses BatchOptions::num_threads threads; a
// device may be shared, its calls are serialized.
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

/// Solver settings of every problem of a batch, and the threads or the device that solve it.
struct BatchOptions {
  SolveOptions solve;
  int num_threads = 1;                                  ///< host threads
  std::shared_ptr<DeviceBatchSolver> device = nullptr;  ///< null: the lanes of the CPU
  Progress progress = {};                               ///< can stop the batch between its parts
};

/// Solves all problems and returns the solutions in the same order. Plain problems with the metric
/// prior (bodies and signs only, strongly convex) run in lanes, eight on AVX-512 and four on AVX2,
/// grouped by shape; other problems, and lanes that do not converge, are solved one by one like
/// solve(). SolveMethod::automatic uses a separate semismooth Newton method that starts at the
/// unconstrained minimizer of the objective; the other methods solve problem by problem. A GPU
/// supports only the semismooth method; problems that do not converge are solved by solve(). The
/// solution of a problem does not depend on the number of threads or on its neighbors, but
/// instruction sets differ in the last bits. The CPU solves problems that a device does not accept:
/// methods other than automatic, problems that are not plain or too large; Solution::by_device
/// tells which one did. Errors: invalid options, device failure; stopped().
Result<std::vector<Solution>> solve_batch(const std::vector<Problem>& problems,
                                          const BatchOptions& options = {});

/// Solves problems 0 .. count - 1, which make(k) creates, on all threads; only a few are in memory
/// at a time. Errors: those of make and solve_batch.
Result<std::vector<Solution>> solve_made(int count, const std::function<Result<Problem>(int)>& make,
                                         const BatchOptions& options = {});

/// Returns the instruction set that solve_batch uses here: "AVX-512", "AVX2" or "baseline".
const char* batch_instruction_set();

}  // namespace heft
#pragma GCC visibility pop
