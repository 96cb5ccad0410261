#include "executor/scratch_memory.hpp"

#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace heft::cpu {

void* ScratchMemory::at_least(std::size_t num_bytes) {
  if (num_bytes > size_) {
    // less than half a huge page costs more to clear than its few small ones to find
    const std::size_t alignment = num_bytes < kHugePage / 2 ? kPage : kHugePage;
    const std::size_t size = (num_bytes + alignment - 1) / alignment * alignment;
    memory_.reset();
    size_ = 0;
    memory_ = {static_cast<std::byte*>(::operator new[](size, std::align_val_t{alignment})),
               {alignment}};
    size_ = size;
#if defined(__linux__)
    if (alignment == kHugePage)
      madvise(memory_.get(), size, MADV_HUGEPAGE);  // where it is refused, pages stay small
#endif
  }
  return memory_.get();
}

void ScratchMemory::Delete::operator()(std::byte* memory) const {
  ::operator delete[](memory, std::align_val_t{alignment});
}

}  // namespace heft::cpu
