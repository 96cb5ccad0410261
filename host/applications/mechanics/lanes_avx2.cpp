#define HEFT_CPU_TARGET avx2
#define HEFT_CPU_PACK_BYTES 32
#include "lane_kernels.hpp"

namespace heft::mechanics {

constinit const Kernels kAvx2Kernels = avx2::kernels("AVX2");

}  // namespace heft::mechanics
