#define HEFT_CPU_TARGET avx2
#define HEFT_CPU_PACK_BYTES 32
#include "lane_kernels.hpp"

namespace heft::payload {

constinit const PointKernels kAvx2Points = avx2::kernels();

}  // namespace heft::payload
