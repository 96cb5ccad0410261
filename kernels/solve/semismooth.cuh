// Launcher of the semismooth Newton kernel, as batch_cuda.cpp calls it.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "semismooth.hpp"

namespace heft::cuda {

/// Consecutive problems of one shape on the device.
struct SolveLaunch {
  ProblemShape shape;
  Placement placement;
  int count;
  SemismoothOptions options;
  double* d_problems;  ///< PackedProblem::size_for(shape) each
  double* d_answers;   ///< PackedAnswer::size_for(shape) each
  double* d_scratch;   ///< placement.scratch_size each
  cudaStream_t stream;
};

/// Lets launches request as much shared memory as a block of the device may have. Call once before
/// the first launch: the limit of a kernel is shared by all threads of the process, so calls for
/// individual shapes would race.
cudaError_t allow_shared_memory(int max_shared_bytes);

/// Asynchronous, on the launch's stream; errors are those of the launch itself.
cudaError_t launch_solve_semismooth(const SolveLaunch& launch);

}  // namespace heft::cuda
