// HEFT_UNROLL before a loop whose counter indexes registers: nvcc then leaves no loop, so that they stay registers.
#pragma once

#if defined(__CUDACC__)
#define HEFT_UNROLL _Pragma("unroll")
#else
#define HEFT_UNROLL
#endif
