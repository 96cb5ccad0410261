#define HEFT_CPU_TARGET avx512
#define HEFT_CPU_PACK_BYTES 64
#define HEFT_CPU_TILE_ROWS 7
#define HEFT_CPU_TILE_COLUMNS 4
#define HEFT_CPU_TILE_DIAGONAL 6
#include "lane_kernels.hpp"

namespace heft::cpu {

constinit const LaneKernels kAvx512Kernels = avx512::lane_kernels("AVX-512");

}  // namespace heft::cpu
