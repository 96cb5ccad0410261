// HEFT_UNROLL before a loop whose counter indexes registers: nvcc then leaves no loop, so that they
// stay registers. HEFT_KEEP_LOOP before one that it shall not unroll: instructions, too, have a
// cache.
#pragma once

#if defined(__CUDACC__)
#define HEFT_UNROLL _Pragma("unroll")
#define HEFT_KEEP_LOOP _Pragma("unroll 1")
#else
#define HEFT_UNROLL
#define HEFT_KEEP_LOOP
#endif
