// Functions marked HEFT_HD run on both sides. Besides here, only scalar.hpp knows that a CUDA
// compiler exists. Threads: functions without memory: any number of threads may call them.
#pragma once

#if defined(__CUDACC__)
#define HEFT_HD __host__ __device__ __forceinline__
#else
#define HEFT_HD inline __attribute__((always_inline))
#endif
