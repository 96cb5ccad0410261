// Chooses among kernels compiled once per instruction set (cmake/lanes.cmake) those that the
// processor can run.
#pragma once

namespace heft {

/// Returns whether the processor has the instructions of lanes_avx2.cpp: AVX2 with FMA.
/// lanes_avx512.cpp also needs AVX-512 F and DQ.
inline bool processor_has_avx2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}
inline bool processor_has_avx512() {
#if defined(__x86_64__)
  return processor_has_avx2() && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512dq");
#else
  return false;
#endif
}

/// Returns the table of kernels with the widest instructions that this processor has.
template <class Kernels>
const Kernels& widest(const Kernels& avx512, const Kernels& avx2, const Kernels& baseline) {
  return processor_has_avx512() ? avx512 : processor_has_avx2() ? avx2 : baseline;
}

}  // namespace heft
