#define HEFT_CPU_TARGET avx2
#define HEFT_CPU_LANES 4
#define HEFT_CPU_TILE 3
#include "host/cpu/lane_kernels.hpp"

namespace heft::cpu {

const LaneKernels kAvx2Kernels{"AVX2", avx2::scratch_bytes, avx2::accumulate_chunk, avx2::predict_chunk};

}  // namespace heft::cpu
