// HEFT_UNROLL before a loop whose counter indexes registers: nvcc then unrolls it completely, so
// that the values stay in registers. HEFT_KEEP_LOOP before a loop that nvcc must not unroll,
// because instructions have a cache too.
#pragma once

#if defined(__CUDACC__)
#define HEFT_UNROLL _Pragma("unroll")
#define HEFT_KEEP_LOOP _Pragma("unroll 1")
#else
#define HEFT_UNROLL
#define HEFT_KEEP_LOOP
#endif
