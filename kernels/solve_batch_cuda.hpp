// Batches of problems on a CUDA device, as the host sees them: no CUDA header. Built from solve_batch_cuda.cpp with the
// CUDA toolkit, from solve_batch_cuda_stub.cpp without.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "heft/result.hpp"
#include "host/solve/batch/plain_problem.hpp"

namespace heft {

class DeviceBatchSolver {
 public:
  virtual ~DeviceBatchSolver() = default;

  /// "cuda (NVIDIA H200)".
  virtual std::string description() const = 0;

  /// The semismooth Newton method on problems of one shape, one answer a problem; the other methods' limits are ignored.
  /// What has no answer within max_semismooth_steps, or whose numbers break down, comes back not converged.
  /// `num_threads` of the host bring the problems into the order of the device.
  virtual Result<Done> solve(const solver::PlainShape& shape, std::span<const solver::PlainProblem> problems,
                             const solver::PlainOptions& options, int num_threads,
                             std::span<solver::PlainAnswer> answers) = 0;
};

/// Error (never a fall-back) if CUDA was not compiled in or no device answers.
Result<std::unique_ptr<DeviceBatchSolver>> make_cuda_batch_solver();

}  // namespace heft
