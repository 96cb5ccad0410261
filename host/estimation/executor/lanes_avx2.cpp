#define HEFT_CPU_TARGET avx2
#define HEFT_CPU_PACK_BYTES 32
#define HEFT_CPU_TILE_ROWS 4
#define HEFT_CPU_TILE_COLUMNS 3
#define HEFT_CPU_TILE_DIAGONAL 3
#include "lane_kernels.hpp"

namespace heft::cpu {

constinit const LaneKernels kAvx2Kernels = avx2::lane_kernels("AVX2");

}  // namespace heft::cpu
