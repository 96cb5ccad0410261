#define HEFT_CPU_TARGET avx512
#define HEFT_CPU_LANES 8
#define HEFT_CPU_TILE 5
#include "host/cpu/lane_kernels.hpp"

namespace heft::cpu {

const LaneKernels kAvx512Kernels{"AVX-512", avx512::scratch_bytes, avx512::accumulate_chunk,
                                 avx512::predict_chunk};

}  // namespace heft::cpu
