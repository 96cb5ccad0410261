#define HEFT_PROJECTION_TARGET avx512
#define HEFT_PROJECTION_BYTES 64
#include "projection_lanes.hpp"

namespace heft::projection {

constinit const Kernels kAvx512Kernels = avx512::kernels();

}  // namespace heft::projection
