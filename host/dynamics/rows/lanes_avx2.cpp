#define HEFT_PROJECTION_TARGET avx2
#define HEFT_PROJECTION_BYTES 32
#include "projection_lanes.hpp"

namespace heft::projection {

constinit const Kernels kAvx2Kernels = avx2::kernels();

}  // namespace heft::projection
