#define HEFT_CPU_TARGET avx512
#define HEFT_CPU_PACK_BYTES 64
#include "lane_kernels.hpp"

namespace heft::payload {

constinit const PointKernels kAvx512Points = avx512::kernels();

}  // namespace heft::payload
