#define HEFT_SIGNAL_TARGET avx2
#define HEFT_SIGNAL_BYTES 32
#include "lane_kernels.hpp"

namespace heft::signal {

constinit const Kernels kAvx2Kernels = avx2::kernels();

}  // namespace heft::signal
