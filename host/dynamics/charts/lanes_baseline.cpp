#define HEFT_CHARTS_TARGET baseline
#define HEFT_CHARTS_BYTES 16
#include "lane_kernels.hpp"

namespace heft::charts {

constinit const Kernels kBaselineKernels = baseline::kernels();

}  // namespace heft::charts
