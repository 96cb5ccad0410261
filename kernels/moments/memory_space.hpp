// Pointers whose memory is known. The compiler sees of a pointer that comes out of a table no more than that it may point
// anywhere, and every access asks where; after in_global(p) it knows.
#pragma once

#include "heft/core/platform.hpp"

namespace heft::cuda {

/// The same pointer, to global memory.
template <class T>
HEFT_HD T* in_global(T* pointer) {
#if defined(__CUDA_ARCH__)
  return static_cast<T*>(__cvta_global_to_generic(__cvta_generic_to_global(pointer)));
#else
  return pointer;
#endif
}

}  // namespace heft::cuda
