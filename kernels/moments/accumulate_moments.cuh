// Launchers of the kernels for moments, rows and torques, as cuda_device.cpp calls them.
#pragma once

#include <cuda_runtime.h>

#include "device_job.hpp"

namespace heft::cuda {

/// Asynchronous, on the stream; errors are those of the launch itself.
cudaError_t launch(const Launch& launch, cudaStream_t stream);
cudaError_t launch(const PartSumLaunch& launch, cudaStream_t stream);

/// Lets kernels use the shared memory that they request at launch; called once, before the first
/// launch.
cudaError_t allow_shared_memory();

/// Returns the number of blocks of a kernel that one multiprocessor of the current device runs
/// concurrently.
cudaError_t blocks_per_multiprocessor(Kernel kernel, int* num_blocks);

}  // namespace heft::cuda
