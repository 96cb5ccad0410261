#define HEFT_CPU_TARGET baseline
#define HEFT_CPU_PACK_BYTES 16
#include "lane_kernels.hpp"

namespace heft::cpu {

#if defined(__aarch64__)
constinit const LaneKernels kBaselineKernels = baseline::lane_kernels("NEON");
#elif defined(__x86_64__)
constinit const LaneKernels kBaselineKernels = baseline::lane_kernels("SSE2");
#else
constinit const LaneKernels kBaselineKernels = baseline::lane_kernels("16-byte vectors");
#endif

}  // namespace heft::cpu
