// The semismooth Newton method on many problems of one shape: one block per problem, which stops at
// its own gap.
//
// Mapping. Phases separated by barriers (phases.hpp). Factor: thread = row of a column of tiles,
// then thread = 4x4 tile of the triangle to its right, two barriers per column of tiles.
// Substitutions: thread = row, one barrier per tile. Products with Q: thread = row. Eigenvectors:
// thread = body. Curvature: thread = entry of a body's 10x10 block. There are as many blocks as
// problems: the scheduler gives the next block to a multiprocessor that has finished one.
//
// Why a block does not solve several small problems. The work available at once in a step is a
// triangle of tiles, which shrinks: at 36 unknowns 36 tiles, then 28, .. 1. A block of 128 threads
// would leave most of them idle. Small problems therefore get a block of one warp: registers allow
// 16 of them on a multiprocessor, shared memory (11 KB each) 19 on sm_90, and each stops on its
// own, unlike problems that share barriers.
//
// Budget at 84 unknowns (7 bodies, 14 signs), 128 threads. Shared memory: 231 tiles and 21 inverses
// of 17 doubles for the factor of Q + W, 34 272 bytes, and 8 640 for vectors: 42 912. Including 1
// KB for the system, three blocks fit on a multiprocessor of sm_80 (164 KB), five on sm_90 (228
// KB), two on sm_120 (100 KB); registers allow four, with a few of an eigendecomposition spilled. Q
// and the factor of Q, 31 416 and 34 272 bytes, stay in device memory; a step reads Q twice and the
// last step reads the factor once, through the L2 cache. Multiply-adds per step: 99 000 for the
// factor, whose entries are read and written 100 000 times in shared memory; 7000 for the
// substitutions, 7000 for the product with Q, 15 000 for the blocks of bodies. Barriers per step:
// 42 for the factor, 42 for the substitutions, 27 for three sums, 8 others.
//
// Threads of a block: 128
//
// Resources according to the compiler, without shared memory, which is allocated at launch:
//
//   kernel                   registers  shared stack spilled  sm_80 sm_90 sm_100 sm_120
//   solve_semismooth_kernel        128       0    56      52      4     4      4      4
//
// If the factor does not fit (from about 220 unknowns on sm_90), a library computes it, if
// available (large_semismooth.cu); otherwise the factor is also in device memory.
#include "semismooth.cuh"

#include "../cuda_edge.cuh"
#include "../device_block.cuh"

namespace heft::cuda {

namespace {

constexpr int kThreadsAtATime = 512;  // of a multiprocessor, at 128 registers each

// kernels rather than one with a choice: the compiler then knows in which memory the factor is
template <int kThreads, bool kFactorIsShared>
__global__ void __launch_bounds__(kThreads, kThreadsAtATime / kThreads)
    solve_semismooth_kernel(SolveLaunch launch) {
  extern __shared__ double shared[];
  const ProblemShape& shape = launch.shape;
  const std::int64_t k = blockIdx.x;
  double* const scratch = launch.d_scratch + k * launch.placement.scratch_size;
  const int factor_size = Workspace::factor_size(shape);
  double* const factor = kFactorIsShared ? shared : scratch + factor_size;
  double* const vectors = kFactorIsShared ? shared + factor_size : shared;
  const PackedProblem problem(shape, launch.d_problems + k * PackedProblem::size_for(shape));
  const PackedAnswer answer(shape, launch.d_answers + k * PackedAnswer::size_for(shape));
  Semismooth(DeviceBlock<kThreads>(), shape, problem, Workspace(shape, factor, scratch, vectors))
      .solve(launch.options, answer);
}

void (*kernel_for(const Placement& placement))(SolveLaunch) {
  if (!placement.factor_is_shared) return solve_semismooth_kernel<128, false>;
  return placement.num_threads == 32 ? solve_semismooth_kernel<32, true>
                                     : solve_semismooth_kernel<128, true>;
}

}  // namespace

cudaError_t allow_shared_memory(int max_shared_bytes) {
  for (const auto kernel : {solve_semismooth_kernel<128, false>, solve_semismooth_kernel<32, true>,
                            solve_semismooth_kernel<128, true>}) {
    const cudaError_t status =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, max_shared_bytes);
    if (status != cudaSuccess) return status;
  }
  return cudaSuccess;
}

cudaError_t launch_solve_semismooth(const SolveLaunch& launch) {
  const Placement& placement = launch.placement;
  return launch_kernel(kernel_for(placement), dim3(static_cast<unsigned>(launch.count)),
                       placement.num_threads, static_cast<std::size_t>(placement.shared_bytes),
                       launch.stream, launch);
}

}  // namespace heft::cuda
