#define HEFT_CPU_TARGET avx2
#define HEFT_CPU_PACK_BYTES 32
#define HEFT_EXCITE_ROWS 3
#define HEFT_EXCITE_COLUMNS 4
#define HEFT_EXCITE_PACKS 4
#include "lane_kernels.hpp"

namespace heft::excite {

constinit const Kernels kAvx2Kernels = avx2::kernels();

}  // namespace heft::excite
