#define HEFT_CHARTS_TARGET avx2
#define HEFT_CHARTS_BYTES 32
#include "lane_kernels.hpp"

namespace heft::charts {

constinit const Kernels kAvx2Kernels = avx2::kernels();

}  // namespace heft::charts
