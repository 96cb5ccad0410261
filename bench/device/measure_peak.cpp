// The peak of the first device: the best of several runs of peak_kernel.cu, timed by events.
#include <algorithm>

#include "bench/device/device_bench.hpp"
#include "kernels/moments/device_memory.cuh"
#include "peak_kernel.cuh"

namespace heft {

Result<double> measure_cuda_peak(core::Precision precision) {
  using cuda::check, cuda::kMomentsBackend;
  constexpr int kBlocksPerMultiprocessor = 32, kRounds = 20'000, kRuns = 10;
  HEFT_TRY(properties, cuda::find_device(kMomentsBackend));
  const int num_blocks = kBlocksPerMultiprocessor * properties.multiProcessorCount;
  HEFT_TRY(never_written, cuda::device_memory(sizeof(double)));
  HEFT_TRY(begin, cuda::make_event(kMomentsBackend, cudaEventDefault));
  HEFT_TRY(end, cuda::make_event(kMomentsBackend, cudaEventDefault));
  double best = 0;
  for (int run = 0; run < kRuns; ++run) {
    HEFT_CHECK(check(cudaEventRecord(begin.get()), kMomentsBackend, "event"));
    HEFT_CHECK(check(cuda::launch_peak(precision, num_blocks, kRounds,
                                       reinterpret_cast<double*>(never_written.get())),
                     kMomentsBackend, "launch"));
    HEFT_CHECK(check(cudaEventRecord(end.get()), kMomentsBackend, "event"));
    HEFT_CHECK(check(cudaEventSynchronize(end.get()), kMomentsBackend, "kernel"));
    float milliseconds = 0;
    HEFT_CHECK(check(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()), kMomentsBackend,
                     "event"));
    best = std::max(
        best, 1e3 * static_cast<double>(cuda::peak_products(num_blocks, kRounds)) / milliseconds);
  }
  return best;
}

}  // namespace heft
