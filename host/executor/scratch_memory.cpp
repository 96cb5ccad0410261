#include "executor/scratch_memory.hpp"

#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace heft::cpu {

void* ScratchMemory::at_least(std::size_t num_bytes) {
  if (num_bytes > size_) {
    const std::size_t size = (num_bytes + kAlignment - 1) / kAlignment * kAlignment;
    memory_.reset();
    size_ = 0;
    memory_.reset(static_cast<std::byte*>(::operator new[](size, std::align_val_t{kAlignment})));
    size_ = size;
#if defined(__linux__)
    madvise(memory_.get(), size, MADV_HUGEPAGE);  // where it is refused, pages stay small
#endif
  }
  return memory_.get();
}

void ScratchMemory::Delete::operator()(std::byte* memory) const {
  ::operator delete[](memory, std::align_val_t{kAlignment});
}

}  // namespace heft::cpu
