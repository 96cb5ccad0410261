#include "executor/instruction_sets.hpp"

#include <algorithm>
#include <string>

#include "base/widest.hpp"

namespace heft {

const char* name(InstructionSet set) {
  switch (set) {
    case InstructionSet::widest:
      return "widest";
    case InstructionSet::avx512:
      return "avx512";
    case InstructionSet::avx2:
      return "avx2";
    case InstructionSet::neon:
      return "neon";
    case InstructionSet::baseline:
      return "baseline";
  }
  return "";
}

std::vector<InstructionSet> available_instruction_sets() {
  std::vector<InstructionSet> sets;
  if (processor_has_avx512()) sets.push_back(InstructionSet::avx512);
  if (processor_has_avx2()) sets.push_back(InstructionSet::avx2);
#if defined(__aarch64__)
  sets.push_back(InstructionSet::neon);  // which every such processor has: the baseline by another
                                         // name
#endif
  sets.push_back(InstructionSet::baseline);
  return sets;
}

namespace cpu {

Result<const LaneKernels*> lane_kernels(InstructionSet set) {
  const std::vector<InstructionSet> available = available_instruction_sets();
  if (set == InstructionSet::widest) set = available.front();
  if (std::find(available.begin(), available.end(), set) == available.end()) {
    std::string names;
    for (const InstructionSet other : available)
      names += std::string(names.empty() ? "" : ", ") + name(other);
    return Error{std::string("instruction set ") + name(set), "is not supported by this processor",
                 "use one of " + names};
  }
#if defined(__x86_64__)
  if (set == InstructionSet::avx512) return &kAvx512Kernels;
  if (set == InstructionSet::avx2) return &kAvx2Kernels;
#endif
  return &kBaselineKernels;
}

}  // namespace cpu

}  // namespace heft
