// The device interface of solve_batch(): implemented by kernels/shared/kernels/batch_cuda.hpp, and
// on the host by tests.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "heft/solve/solve_batch.hpp"
#include "solve/plain_problem.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Solves batches of plain problems on a device.
class DeviceBatchSolver {
 public:
  virtual ~DeviceBatchSolver() = default;

  /// Returns for example "cuda (NVIDIA H200)".
  virtual std::string description() const = 0;

  /// Returns whether problems of this shape fit; the CPU solves others.
  virtual bool takes(const solver::PlainShape& shape) = 0;

  /// Solves problems of an accepted shape by the semismooth Newton method, one solution per
  /// problem. A problem without a solution after max_steps, or with a numerical failure, is
  /// returned as not converged. `num_threads` host threads convert the problems to the device's
  /// order.
  virtual Result<Done> solve(const solver::PlainShape& shape,
                             std::span<const solver::PlainProblem> problems,
                             const solver::PlainOptions& options, int num_threads,
                             std::span<solver::PlainAnswer> answers) = 0;
};

/// Runs solve_batch() with valid options on this device, or in lanes if it is null; ignores
/// options.device.
Result<std::vector<Solution>> solve_batch_on(DeviceBatchSolver* device,
                                             const std::vector<Problem>& problems,
                                             const BatchOptions& options);

}  // namespace heft
#pragma GCC visibility pop
