#include "executor/instruction_sets.hpp"
#include "kernels.hpp"

namespace heft::excite {

const Kernels& widest_kernels() {
#if defined(__x86_64__)
  const InstructionSet widest = available_instruction_sets().front();
  if (widest == InstructionSet::avx512) return kAvx512Kernels;
  if (widest == InstructionSet::avx2) return kAvx2Kernels;
#endif
  return kBaselineKernels;
}

}  // namespace heft::excite
