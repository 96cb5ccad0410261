// Packed moments of samples or of given rows, rows as arrays, and predicted torques: the threads of
// a device run the programs of block_programs.hpp and row_programs.hpp, and the ordered sum of
// parts (ordered_sum.hpp).
//
// Mapping. A persistent grid: each block of kThreads threads takes tasks (parts of chunks of any
// job of the batch, each with its own robot) in turn.
//
// Budget: upper bounds per thread or block, and the number of blocks on a multiprocessor;
// kernels/check_budget.py compares it with the report of ptxas. Registers suffice for two blocks: a
// lane keeps sums in 112 of them throughout a task, or while it processes a wide unit. The stack
// holds the registers that these sums displace while rows are computed, and the reduction of huge
// angles in sine and cosine.
//
// Threads of a block: 128
//
//                                                              blocks on
//   kernel                     registers  shared stack spilled  sm_80 sm_90 sm_100 sm_120
//   moments_fp64_kernel              255       0   160     128      2     2      2      2
//   moments_fp32_kernel              255       0    80       0      2     2      2      2
//   large_moments_fp64_kernel        255       0   160     128      2     2      2      2
//   large_moments_fp32_kernel        255       0   136      64      2     2      3      3
//   given_rows_kernel                255       0     0       0      2     2      3      4
//   rows_kernel                      128       0    40       0      4     4      4      4
//   torques_kernel                   128       0    40       0      4     4      4      4
//   add_parts_kernel                       40       0     0       0     16    16     12     12
//
// Shared memory is allocated at launch, as much as the largest robot of the launch needs
// (block_memory.hpp), at most kMaxSharedBytes. An arm with seven joints takes 91 KB in fp64: two
// blocks on sm_90 and sm_100, one on sm_80 and sm_120. A humanoid with 36 degrees of freedom takes
// 77 KB in fp64 for its workspace alone: two blocks on sm_80, too.
#include "accumulate_moments.cuh"

#include <algorithm>

#include "../cuda_edge.cuh"
#include "../device_block.cuh"
#include "block_programs.hpp"
#include "ordered_sum.hpp"
#include "row_programs.hpp"

namespace heft::cuda {

namespace {

constexpr int kPartSumBlocks = 16,
              kMaxPartSumRows = 1024;  // along the entries of a sum; sums at a time

/// Calls work(job, task, scratch of the block) for the tasks of this block.
template <class Work>
__device__ __forceinline__ void for_each_task(const Launch& launch, const Work& work) {
  std::byte* const scratch = launch.scratch + blockIdx.x * launch.scratch_stride;
  for (int i = static_cast<int>(blockIdx.x); i < launch.num_tasks;
       i += static_cast<int>(gridDim.x)) {
    const Task& task = launch.tasks[i];
    work(launch.jobs[task.job], task, scratch);
  }
}

/// Sums products of rows that are in shared memory, as are the data from which they are computed.
template <class Real>
struct SumInSharedMemory {
  std::byte* shared;
  __device__ __forceinline__ void operator()(const DeviceJob& job, const Task& task,
                                             std::byte* scratch) const {
    sum_products(DeviceBlock<kThreads>(), job, task, SlabMemory<Real>(job, shared),
                 SumMemory(job, scratch), RowsOfSamples<Real>{});
  }
};

/// The same by wide units of rows in global memory; the workspace, if it fits, is in shared memory.
template <class Real, class Fill>
struct SumInGlobalMemory {
  std::byte* shared;
  __device__ __forceinline__ void operator()(const DeviceJob& job, const Task& task,
                                             std::byte* scratch) const {
    const SumMemory sums(job, scratch);
    sum_wide_products(DeviceBlock<kThreads>(), job, task,
                      SlabMemory<Real>(job, shared, in_global(scratch + sums.num_bytes)), sums,
                      Fill{});
  }
};

extern __shared__ __align__(16) std::byte shared_memory[];

__global__ void __launch_bounds__(kThreads, 2) moments_fp64_kernel(Launch launch) {
  for_each_task(launch, SumInSharedMemory<double>{shared_memory});
}

__global__ void __launch_bounds__(kThreads, 2) moments_fp32_kernel(Launch launch) {
  for_each_task(launch, SumInSharedMemory<float>{shared_memory});
}

__global__ void __launch_bounds__(kThreads, 2) large_moments_fp64_kernel(Launch launch) {
  for_each_task(launch, SumInGlobalMemory<double, RowsOfSamples<double>>{shared_memory});
}

__global__ void __launch_bounds__(kThreads, 2) large_moments_fp32_kernel(Launch launch) {
  for_each_task(launch, SumInGlobalMemory<float, RowsOfSamples<float>>{shared_memory});
}

__global__ void __launch_bounds__(kThreads, 2) given_rows_kernel(Launch launch) {
  for_each_task(launch, SumInGlobalMemory<double, GivenRows>{nullptr});
}

__global__ void __launch_bounds__(kThreads, 4) rows_kernel(Launch launch) {
  for_each_task(launch, [](const DeviceJob& job, const Task& task, std::byte* scratch) {
    keep_rows(DeviceBlock<kThreads>(), job, task, scratch);
  });
}

__global__ void __launch_bounds__(kThreads, 4) torques_kernel(Launch launch) {
  for_each_task(launch, [](const DeviceJob& job, const Task& task, std::byte* scratch) {
    predict_torques(DeviceBlock<kThreads>(), job, task, scratch);
  });
}

/// A row of blocks takes one sum after the other; its threads share the entries.
__global__ void add_parts_kernel(PartSumLaunch launch) {
  const std::int64_t first = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  for (int i = static_cast<int>(blockIdx.y); i < launch.num_sums;
       i += static_cast<int>(gridDim.y)) {
    const PartSum& sum = launch.sums[i];
    for (std::int64_t entry = first; entry < sum.size; entry += std::int64_t{gridDim.x} * kThreads)
      add_parts(sum, entry);
  }
}

void (*function_of(Kernel kernel))(Launch) {
  switch (kernel) {
    case Kernel::moments_fp64:
      return moments_fp64_kernel;
    case Kernel::moments_fp32:
      return moments_fp32_kernel;
    case Kernel::large_moments_fp64:
      return large_moments_fp64_kernel;
    case Kernel::large_moments_fp32:
      return large_moments_fp32_kernel;
    case Kernel::given_rows:
      return given_rows_kernel;
    case Kernel::rows:
      return rows_kernel;
    case Kernel::torques:
      return torques_kernel;
  }
  return nullptr;
}

}  // namespace

cudaError_t launch(const Launch& launch, cudaStream_t stream) {
  return launch_kernel(function_of(launch.kernel), dim3(static_cast<unsigned>(launch.num_blocks)),
                       kThreads, static_cast<std::size_t>(launch.shared_bytes), stream, launch);
}

cudaError_t launch(const PartSumLaunch& launch, cudaStream_t stream) {
  const dim3 grid(kPartSumBlocks,
                  static_cast<unsigned>(std::min(launch.num_sums, kMaxPartSumRows)));
  return launch_kernel(add_parts_kernel, grid, kThreads, 0, stream, launch);
}

cudaError_t allow_shared_memory() {
  for (const Kernel kernel : {Kernel::moments_fp64, Kernel::moments_fp32,
                              Kernel::large_moments_fp64, Kernel::large_moments_fp32}) {
    const cudaError_t status = cudaFuncSetAttribute(
        function_of(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize, kMaxSharedBytes);
    if (status != cudaSuccess) return status;
  }
  return cudaSuccess;
}

cudaError_t blocks_per_multiprocessor(Kernel kernel, int* num_blocks) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(num_blocks, function_of(kernel), kThreads,
                                                       0);
}

}  // namespace heft::cuda
