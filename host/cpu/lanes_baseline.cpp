#define HEFT_CPU_TARGET baseline
#define HEFT_CPU_LANES 2
#define HEFT_CPU_TILE 3
#include "host/cpu/lane_kernels.hpp"

namespace heft::cpu {

const LaneKernels kBaselineKernels{"SSE2", baseline::scratch_bytes, baseline::accumulate_chunk,
                                   baseline::predict_chunk};

}  // namespace heft::cpu
