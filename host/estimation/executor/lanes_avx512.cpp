// Empty on other processors, which use the lanes of the baseline.
#if defined(__x86_64__)
#define HEFT_CPU_TARGET avx512
#define HEFT_CPU_PACK_BYTES 64
#include "lane_kernels.hpp"

namespace heft::cpu {

constinit const LaneKernels kAvx512Kernels = avx512::lane_kernels("AVX-512");

}  // namespace heft::cpu

#endif
