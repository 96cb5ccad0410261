#define HEFT_CPU_TARGET avx512
#define HEFT_CPU_PACK_BYTES 64
#define HEFT_EXCITE_ROWS 6
#define HEFT_EXCITE_COLUMNS 4
#define HEFT_EXCITE_PACKS 2
#include "lane_kernels.hpp"

namespace heft::excite {

constinit const Kernels kAvx512Kernels = avx512::kernels();

}  // namespace heft::excite
