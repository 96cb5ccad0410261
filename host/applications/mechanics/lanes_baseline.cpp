#define HEFT_CPU_TARGET baseline
#define HEFT_CPU_PACK_BYTES 16
#include "lane_kernels.hpp"

namespace heft::mechanics {

constinit const Kernels kBaselineKernels = baseline::kernels("SSE2");

}  // namespace heft::mechanics
