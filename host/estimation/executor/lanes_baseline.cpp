#define HEFT_CPU_TARGET baseline
#define HEFT_CPU_PACK_BYTES 16
#define HEFT_CPU_TILE_ROWS 4
#define HEFT_CPU_TILE_COLUMNS 3
#define HEFT_CPU_TILE_DIAGONAL 3
#include "lane_kernels.hpp"

namespace heft::cpu {

constinit const LaneKernels kBaselineKernels = baseline::lane_kernels("SSE2");

}  // namespace heft::cpu
