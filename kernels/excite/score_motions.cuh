// Launchers of the kernels that score motions, as motions_cuda.cpp calls them. Asynchronous, on the
// stream; errors are those of the launches themselves.
#pragma once

#include <cuda_runtime.h>

#include "motion_tables.hpp"

namespace heft::cuda {

struct MotionLaunch {
  MotionTables tables;
  MotionLayout layout;
  MotionPass pass;
  int num_motions;
  cudaStream_t stream;
};

/// Rows, torques, information and, if the transfer has them, the value of log det with its slope
/// and the extremes. Adds the number of launches to `launches`.
cudaError_t launch_motion_rows(const MotionLaunch& launch, int* launches);

/// The gradient with respect to the coefficients of motions whose rows were launched before.
cudaError_t launch_motion_gradient(const MotionLaunch& launch, int* launches);

}  // namespace heft::cuda
