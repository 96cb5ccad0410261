#define HEFT_PROJECTION_TARGET baseline
#define HEFT_PROJECTION_BYTES 16
#include "projection_lanes.hpp"

namespace heft::projection {

constinit const Kernels kBaselineKernels = baseline::kernels();

}  // namespace heft::projection
