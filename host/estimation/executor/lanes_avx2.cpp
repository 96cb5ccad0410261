// Empty on other processors, which use the lanes of the baseline.
#if defined(__x86_64__)
#define HEFT_CPU_TARGET avx2
#define HEFT_CPU_PACK_BYTES 32
#include "lane_kernels.hpp"

namespace heft::cpu {

constinit const LaneKernels kAvx2Kernels = avx2::lane_kernels("AVX2");

}  // namespace heft::cpu

#endif
