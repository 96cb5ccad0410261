// Launchers of the kernels between the library's calls, as large_batch.cpp calls them.
#pragma once

#include <cuda_runtime.h>

#include "large_semismooth.hpp"

namespace heft::cuda {

inline constexpr int kLargeThreads = 128;

/// Large problems of one shape on the device; block b of a launch works on number d_members[b] of
/// them.
struct LargeLaunch {
  ProblemShape shape;
  SemismoothOptions options;
  int count;             ///< blocks: problems that are not done
  int steps;             ///< made, with this one
  const int* d_members;  ///< count
  double* d_problems;    ///< PackedProblem::size_for(shape) each
  double* d_answers;     ///< PackedAnswer::size_for(shape) each
  double* d_workspaces;  ///< LargeWorkspace::size_for(shape, kLargeThreads) each
  double* d_matrices;    ///< padded() x padded() each
  int* d_is_done;        ///< one each
  cudaStream_t stream;
};

/// LargeSemismooth's functions of these names. Asynchronous, on the launch's stream; errors are
/// those of the launch itself.
cudaError_t launch_large_begin(const LargeLaunch& launch);
cudaError_t launch_large_judge(const LargeLaunch& launch);
cudaError_t launch_large_conclude(const LargeLaunch& launch);

}  // namespace heft::cuda
