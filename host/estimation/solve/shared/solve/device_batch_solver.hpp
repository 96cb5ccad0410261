// What solve_batch() asks of a device: kernels/shared/kernels/batch_cuda.hpp makes the real one,
// tests play it on the host.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "heft/solve/solve_batch.hpp"
#include "solve/plain_problem.hpp"

#pragma GCC visibility push(default)
namespace heft {

class DeviceBatchSolver {
 public:
  virtual ~DeviceBatchSolver() = default;

  /// "cuda (NVIDIA H200)".
  virtual std::string description() const = 0;

  /// Whether problems of this shape fit; the CPU solves those that do not.
  virtual bool takes(const solver::PlainShape& shape) = 0;

  /// The semismooth Newton method on problems of a shape that it takes, one answer a problem. What
  /// has no answer within max_steps, or whose numbers break down, comes back not converged.
  /// `num_threads` of the host bring the problems into the order of the device.
  virtual Result<Done> solve(const solver::PlainShape& shape,
                             std::span<const solver::PlainProblem> problems,
                             const solver::PlainOptions& options, int num_threads,
                             std::span<solver::PlainAnswer> answers) = 0;
};

/// solve_batch() with valid options on this device, or in lanes if it is null; options.device is
/// ignored.
Result<std::vector<Solution>> solve_batch_on(DeviceBatchSolver* device,
                                             const std::vector<Problem>& problems,
                                             const BatchOptions& options);

}  // namespace heft
#pragma GCC visibility pop
