#define HEFT_CHARTS_TARGET avx512
#define HEFT_CHARTS_BYTES 64
#include "lane_kernels.hpp"

namespace heft::charts {

constinit const Kernels kAvx512Kernels = avx512::kernels();

}  // namespace heft::charts
