#include "base/widest.hpp"
#include "kernels.hpp"

namespace heft::excite {

const Kernels& widest_kernels() {
  return widest(kAvx512Kernels, kAvx2Kernels, kBaselineKernels);
}

}  // namespace heft::excite
