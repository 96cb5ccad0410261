// Launcher of the kernels that condition logs, as condition_cuda.cpp calls it.
#pragma once

#include <cuda_runtime.h>

#include "log_task.hpp"

namespace heft::cuda {

/// Segments whose tasks are in the memory of the device.
struct ConditionLaunch {
  const kernels::LogTask* d_tasks;
  int num_logs;
  int max_values;      ///< of a row of any of them
  long long max_kept;  ///< samples of any of them
  cudaStream_t stream;
};
inline constexpr int kConditionLaunches = 3;  ///< kernels for any number of segments

/// Asynchronous, on the launch's stream; errors are those of the launches themselves.
cudaError_t launch_condition_logs(const ConditionLaunch& launch);

}  // namespace heft::cuda
