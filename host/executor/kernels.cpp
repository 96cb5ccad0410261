#include "executor/kernels.hpp"

#include <cstdlib>
#include <string_view>

namespace heft::cpu {

const LaneKernels& lane_kernels() {
#if defined(__x86_64__)
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool has_avx512 = has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
  const char* wish = std::getenv("HEFT_CPU");
  const std::string_view asked = wish ? wish : "";
  if (asked == "baseline") return kBaselineKernels;
  if (has_avx512 && asked != "avx2") return kAvx512Kernels;
  if (has_avx2) return kAvx2Kernels;
#endif
  return kBaselineKernels;
}

}  // namespace heft::cpu
