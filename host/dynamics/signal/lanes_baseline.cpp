#define HEFT_SIGNAL_TARGET baseline
#define HEFT_SIGNAL_BYTES 16
#include "lane_kernels.hpp"

namespace heft::signal {

constinit const Kernels kBaselineKernels = baseline::kernels();

}  // namespace heft::signal
