// Packed moments of samples or of given rows, rows as arrays, and predicted torques: the programs of block_programs.hpp
// run by the threads of a device, and the ordered sum of parts (ordered_sum.hpp).
//
// Mapping. A persistent grid: each block of kThreads threads takes tasks (parts of chunks of any job of the batch, each
// with its own robot) in turn.
//
// Budget: at most so much of a thread or a block; blocks that a multiprocessor holds. kernels/check_budget.py compares it
// with what ptxas says. Stack is where sine and cosine reduce huge angles: forty bytes for those of a motion, in fp64, and
// in moments_fp32_kernel 32 more for those of the joints, in fp32.
//
// Threads of a block: 128
//
//                                                        blocks on
//   kernel               registers  shared stack spilled  sm_80 sm_90 sm_120
//   moments_fp64_kernel        168   49152    40       0      3     3      2
//   moments_fp32_kernel        128   49152    72       0      3     4      2
//   given_rows_kernel           96   49152     0       0      3     4      2
//   rows_kernel                128       0    40       0      4     4      4
//   torques_kernel             128       0    40       0      4     4      4
//   fold_kernel                 40       0     0       0     16    16     12
//
// Scratch in global memory is that of block_scratch.hpp.
#include "kernels/moments/accumulate_moments.cuh"

#include <algorithm>

#include "kernels/cuda_edge.cuh"
#include "kernels/device_block.cuh"
#include "kernels/moments/block_programs.hpp"
#include "kernels/moments/ordered_sum.hpp"

namespace heft::cuda {

namespace {

constexpr int kFoldBlocks = 16, kMostFoldRows = 1024;  // along the entries of a fold; folds at a time

/// Calls work(job, task, scratch of the block) for the tasks of this block.
template <class Work>
__device__ void for_each_task(const Launch& launch, const Work& work) {
  std::byte* const scratch = launch.scratch + blockIdx.x * launch.scratch_stride;
  for (int i = static_cast<int>(blockIdx.x); i < launch.num_tasks; i += static_cast<int>(gridDim.x)) {
    const Task& task = launch.tasks[i];
    work(launch.jobs[task.job], task, scratch);
  }
}

template <class Real, class Fill>
__device__ void sum_tasks(const Launch& launch, const Fill& fill) {
  __shared__ StageUnit<Real> stage[kStageBytes / sizeof(StageUnit<Real>)];
  for_each_task(launch, [&](const DeviceJob& job, const Task& task, std::byte* scratch) {
    sum_products(DeviceBlock<kThreads>(), job, task, scratch, stage, fill);
  });
}

__global__ void __launch_bounds__(kThreads, 3) moments_fp64_kernel(Launch launch) {
  sum_tasks<double>(launch, RowsOfSamples<double>{});
}

__global__ void __launch_bounds__(kThreads, 4) moments_fp32_kernel(Launch launch) {
  sum_tasks<float>(launch, RowsOfSamples<float>{});
}

__global__ void __launch_bounds__(kThreads, 4) given_rows_kernel(Launch launch) {
  sum_tasks<double>(launch, GivenRows{});
}

__global__ void __launch_bounds__(kThreads, 4) rows_kernel(Launch launch) {
  for_each_task(launch, [](const DeviceJob& job, const Task& task, std::byte* scratch) {
    keep_rows(DeviceBlock<kThreads>(), job, task, scratch);
  });
}

__global__ void __launch_bounds__(kThreads, 4) torques_kernel(Launch launch) {
  for_each_task(launch, [](const DeviceJob& job, const Task& task, std::byte* scratch) {
    dot_rows(DeviceBlock<kThreads>(), job, task, scratch);
  });
}

/// A row of blocks takes one fold after the other; its threads share the entries.
__global__ void fold_kernel(FoldLaunch launch) {
  const std::int64_t first = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  for (int i = static_cast<int>(blockIdx.y); i < launch.num_folds; i += static_cast<int>(gridDim.y)) {
    const Fold& fold = launch.folds[i];
    for (std::int64_t entry = first; entry < fold.size; entry += std::int64_t{gridDim.x} * kThreads)
      fold_entry(fold, entry);
  }
}

void (*function_of(Kernel kernel))(Launch) {
  switch (kernel) {
    case Kernel::moments_fp64:
      return moments_fp64_kernel;
    case Kernel::moments_fp32:
      return moments_fp32_kernel;
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
  return launch_kernel(function_of(launch.kernel), dim3(static_cast<unsigned>(launch.num_blocks)), kThreads,
                       0, stream, launch);
}

cudaError_t launch(const FoldLaunch& launch, cudaStream_t stream) {
  const dim3 grid(kFoldBlocks, static_cast<unsigned>(std::min(launch.num_folds, kMostFoldRows)));
  return launch_kernel(fold_kernel, grid, kThreads, 0, stream, launch);
}

cudaError_t blocks_per_multiprocessor(Kernel kernel, int* num_blocks) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(num_blocks, function_of(kernel), kThreads, 0);
}

}  // namespace heft::cuda
