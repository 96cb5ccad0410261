#define HEFT_CPU_TARGET baseline
#define HEFT_CPU_PACK_BYTES 16
#define HEFT_EXCITE_ROWS 3
#define HEFT_EXCITE_COLUMNS 4
#define HEFT_EXCITE_PACKS 4
#include "lane_kernels.hpp"

namespace heft::excite {

constinit const Kernels kBaselineKernels = baseline::kernels();

}  // namespace heft::excite
