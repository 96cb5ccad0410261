// Kernels that condition many segments of logs, and their launches: three for all of them.
//
// No shared memory. A thread that filters a value keeps its rows in global memory and is limited by
// latency: it loads several rows at a time, and keeps the task in registers.
//
// Threads of a block: 128
//
// Options of nvcc: -fmad=false
//
// Products are rounded before they are added, as by the host, but for those that lanes of the CPU
// fuse: samples equal those of a CPU with AVX2 or AVX-512 to the bit.
//
// Resources according to the compiler:
//
//   kernel                   registers  shared stack spilled  sm_80 sm_90 sm_100 sm_120
//   place_rows_kernel               74       0     0       0      6     6      7      7
//   condition_values_kernel        168       0     0       0      3     4      4      4
//   make_samples_kernel            122       0     0       0      4     4      4      4
#include "condition_logs.hpp"

#include <algorithm>

#include "../cuda_edge.cuh"
#include "condition_logs.cuh"

namespace heft::kernels {

/// Places uniform rows: a thread per log.
extern "C" __global__ void place_rows_kernel(const LogTask* logs, long long num_logs) {
  const long long log = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (log >= num_logs) return;
  const LogTask task = logs[log];  // in registers: stores do not change it
  place_rows(task);
}

/// Filters all values over time: a block per log, a thread per value, so that the threads of a warp
/// read a row together.
extern "C" __global__ void condition_values_kernel(const LogTask* logs) {
  const LogTask log = logs[blockIdx.x];  // in registers: stores do not change it
  for (int value = threadIdx.x; value < log.num_values; value += blockDim.x)
    if (const unsigned long long missing = condition_value(log, value); missing > 0)
      atomicAdd(log.num_without_motion, missing);
}

/// Makes samples: blocks x of a log, a thread per sample.
extern "C" __global__ void make_samples_kernel(const LogTask* logs) {
  const LogTask log = logs[blockIdx.x];  // in registers: stores do not change it
  const long long kept = kept_rows(log), step = static_cast<long long>(gridDim.y) * blockDim.x;
  long long k = static_cast<long long>(blockIdx.y) * blockDim.x + threadIdx.x;
  if (k == 0) *log.num_kept = kept;
  for (; k < kept && k < log.max_kept; k += step) {
    const long long i = log.trim + k * log.keep_every;
    log.sample_time[k] = log.uniform_time[i];
    for (int coordinate = 0; coordinate < log.num_coordinates; ++coordinate)
      put_motion(log, k, i, coordinate);
    for (int c = 0; c < log.num_channels; ++c)
      if (const core::DropReason reason = put_torque(log, k, i, c);
          reason != core::DropReason::none)
        atomicAdd(log.num_dropped + static_cast<int>(reason), 1ULL);
  }
}

}  // namespace heft::kernels

namespace heft::cuda {

namespace {

constexpr int kThreads = 128, kWarp = 32;
constexpr long long kSampleBlocks = 4096;  ///< of all logs together, if they are long

long long divided_up(long long count, long long by) {
  return (count + by - 1) / by;
}

}  // namespace

cudaError_t launch_condition_logs(const ConditionLaunch& launch) {
  const auto num_logs = static_cast<unsigned>(launch.num_logs);
  const long long num_logs_to_place = launch.num_logs;
  const dim3 places(static_cast<unsigned>(divided_up(launch.num_logs, kThreads)));
  if (const cudaError_t status = launch_kernel(kernels::place_rows_kernel, places, kThreads, 0,
                                               launch.stream, launch.d_tasks, num_logs_to_place);
      status != cudaSuccess)
    return status;
  // no more threads than values: others would wait in vain
  const int num_threads =
      static_cast<int>(std::min<long long>(kThreads, divided_up(launch.max_values, kWarp) * kWarp));
  if (const cudaError_t status = launch_kernel(kernels::condition_values_kernel, dim3(num_logs),
                                               num_threads, 0, launch.stream, launch.d_tasks);
      status != cudaSuccess)
    return status;
  const long long most = std::max(1LL, kSampleBlocks / launch.num_logs);
  const auto blocks =
      static_cast<unsigned>(std::clamp(divided_up(launch.max_kept, kThreads), 1LL, most));
  return launch_kernel(kernels::make_samples_kernel, dim3(num_logs, blocks), kThreads, 0,
                       launch.stream, launch.d_tasks);
}

}  // namespace heft::cuda
