// HEFT_HD marks functions that run on host and device. Only this file and scalar.hpp depend on
// whether a CUDA compiler is used. Threads: stateless; safe to call from several threads.
#pragma once

#if defined(__CUDACC__)
#define HEFT_HD __host__ __device__ __forceinline__
#else
#define HEFT_HD inline __attribute__((always_inline))
#endif
