#define HEFT_CPU_TARGET baseline
#define HEFT_CPU_PACK_BYTES 16
#include "lane_kernels.hpp"

namespace heft::payload {

constinit const PointKernels kBaselinePoints = baseline::kernels();

}  // namespace heft::payload
