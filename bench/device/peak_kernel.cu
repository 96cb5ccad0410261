// Independent chains of multiply-adds, enough to hide their latency.
//
// Budget, as in kernels/moments/accumulate_moments.cu.
//
// Threads of a block: 256
//
//                                                        blocks on
//   kernel               registers  shared stack spilled  sm_80 sm_90 sm_100 sm_120
//   peak_fp64_kernel            40       0     0       0      6     6      6      6
//   peak_fp32_kernel            40       0     0       0      8     8      8      6
#include "peak_kernel.cuh"

#include "kernels/cuda_edge.cuh"

namespace heft::cuda {

namespace {

constexpr int kPeakThreads = 256, kChains = 16;

template <class Real>
__device__ void multiply_and_add(int rounds, double* never_written) {
  const Real factor = Real(1) / Real(1 + threadIdx.x), term = Real(blockIdx.x);
  Real chains[kChains];
#pragma unroll
  for (int i = 0; i < kChains; ++i) chains[i] = Real(i);
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < kChains; ++i) chains[i] = chains[i] * factor + term;
  }
  Real sum = 0;
#pragma unroll
  for (int i = 0; i < kChains; ++i) sum += chains[i];
  if (sum == Real(-1)) *never_written = static_cast<double>(sum);  // all terms are positive
}

__global__ void __launch_bounds__(kPeakThreads)
    peak_fp64_kernel(int rounds, double* never_written) {
  multiply_and_add<double>(rounds, never_written);
}

__global__ void __launch_bounds__(kPeakThreads)
    peak_fp32_kernel(int rounds, double* never_written) {
  multiply_and_add<float>(rounds, never_written);
}

}  // namespace

std::int64_t peak_products(int num_blocks, int rounds) {
  return std::int64_t{num_blocks} * kPeakThreads * kChains * rounds;
}

cudaError_t launch_peak(core::Precision precision, int num_blocks, int rounds,
                        double* never_written) {
  return launch_kernel(precision == core::Precision::fp64 ? peak_fp64_kernel : peak_fp32_kernel,
                       dim3(static_cast<unsigned>(num_blocks)), kPeakThreads, 0, nullptr, rounds,
                       never_written);
}

}  // namespace heft::cuda
