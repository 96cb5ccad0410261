// Kernels are compiled once per instruction set (cmake/lanes.cmake); here it is decided which of
// them a processor runs.
#pragma once

namespace heft {

/// What lanes_avx2.cpp and lanes_avx512.cpp of a module need: AVX2 with FMA, and AVX-512 F and DQ
/// beside them.
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

/// Of a module's tables of kernels, that of the widest instructions which this processor has.
template <class Kernels>
const Kernels& widest(const Kernels& avx512, const Kernels& avx2, const Kernels& baseline) {
  return processor_has_avx512() ? avx512 : processor_has_avx2() ? avx2 : baseline;
}

}  // namespace heft
