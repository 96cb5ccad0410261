// The semismooth Newton method between the calls of the library that computes factors: one block
// per unfinished problem.
//
// Mapping. As in semismooth.cu, without its factors: products with Q, thread = row; eigenvectors,
// thread = body; curvature, thread = entry of a body's 10x10 block; copy of Q to the dense matrix,
// thread = entry, down a column.
//
// Budget at 372 unknowns (31 bodies, 62 signs). No shared memory. A step reads Q twice, 630 KB in
// tiles, writes its triangle once, 560 KB, and touches 45 KB of vectors a few times. Multiply-adds:
// 138 000 for the product, 66 000 for the blocks of bodies; the library's factor, 8.6 million, and
// two substitutions, 280 000.
//
// Threads of a block: 128
//
// Resources according to the compiler:
//
//   kernel                   registers  shared stack spilled  sm_80 sm_90 sm_100 sm_120
//   large_begin_kernel              48       0     0       0     10    10     12     12
//   large_judge_kernel             128       0     0       0      4     4      4      4
//   large_conclude_kernel           64       0     0       0      9     8      9      9
#include "large_semismooth.cuh"

#include "../cuda_edge.cuh"
#include "../device_block.cuh"

namespace heft::cuda {

namespace {

using Method = LargeSemismooth<DeviceBlock<kLargeThreads>>;

__device__ Method method_on(const LargeLaunch& launch, std::int64_t k) {
  const ProblemShape& shape = launch.shape;
  const int n = shape.padded();
  return {DeviceBlock<kLargeThreads>(), shape,
          PackedProblem(shape, launch.d_problems + k * PackedProblem::size_for(shape)),
          LargeWorkspace(shape, kLargeThreads,
                         launch.d_workspaces + k * LargeWorkspace::size_for(shape, kLargeThreads)),
          DenseMatrix{launch.d_matrices + k * n * n, n}};
}

__global__ void __launch_bounds__(kLargeThreads) large_begin_kernel(LargeLaunch launch) {
  method_on(launch, launch.d_members[blockIdx.x]).begin();
}

__global__ void __launch_bounds__(kLargeThreads) large_judge_kernel(LargeLaunch launch) {
  method_on(launch, launch.d_members[blockIdx.x]).judge();
}

__global__ void __launch_bounds__(kLargeThreads) large_conclude_kernel(LargeLaunch launch) {
  const std::int64_t k = launch.d_members[blockIdx.x];
  const PackedAnswer answer(launch.shape,
                            launch.d_answers + k * PackedAnswer::size_for(launch.shape));
  const bool is_done = method_on(launch, k).conclude(launch.options, launch.steps, answer);
  if (threadIdx.x == 0) launch.d_is_done[k] = is_done;
}

cudaError_t launch_blocks(void (*kernel)(LargeLaunch), const LargeLaunch& launch) {
  return launch_kernel(kernel, dim3(static_cast<unsigned>(launch.count)), kLargeThreads, 0,
                       launch.stream, launch);
}

}  // namespace

cudaError_t launch_large_begin(const LargeLaunch& launch) {
  return launch_blocks(large_begin_kernel, launch);
}

cudaError_t launch_large_judge(const LargeLaunch& launch) {
  return launch_blocks(large_judge_kernel, launch);
}

cudaError_t launch_large_conclude(const LargeLaunch& launch) {
  return launch_blocks(large_conclude_kernel, launch);
}

}  // namespace heft::cuda
