#define HEFT_CPU_TARGET avx512
#define HEFT_CPU_PACK_BYTES 64
#include "lane_kernels.hpp"

namespace heft::mechanics {

constinit const Kernels kAvx512Kernels = avx512::kernels("AVX-512");

}  // namespace heft::mechanics
