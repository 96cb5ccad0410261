// The one place where core/ knows that a CUDA compiler exists: functions marked HEFT_HD run on both sides.
#pragma once

#if defined(__CUDACC__)
#define HEFT_HD __host__ __device__ __forceinline__
#else
#define HEFT_HD inline __attribute__((always_inline))
#endif
