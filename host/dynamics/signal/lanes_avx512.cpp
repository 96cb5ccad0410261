#define HEFT_SIGNAL_TARGET avx512
#define HEFT_SIGNAL_BYTES 64
#include "lane_kernels.hpp"

namespace heft::signal {

constinit const Kernels kAvx512Kernels = avx512::kernels();

}  // namespace heft::signal
