// Launcher of the semismooth Newton kernel, as batch_cuda.cpp calls it.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "semismooth.hpp"

namespace heft::cuda {

/// Problems of one shape on the device, one after the other.
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

/// Asynchronous, on the launch's stream; errors are those of the launch itself.
cudaError_t launch_solve_semismooth(const SolveLaunch& launch);

}  // namespace heft::cuda
