// Scratch memory of one thread.
#pragma once

#include <cstddef>
#include <memory>

#pragma GCC visibility push(default)
namespace heft::cpu {

/// Kept from call to call: fresh pages cost more than the work of a small call. Asks for huge pages, since a slab
/// spans more small ones than a processor keeps translations of.
class ScratchMemory {
 public:
  /// At least num_bytes, aligned to 2 MiB; valid until the next call.
  void* at_least(std::size_t num_bytes);

 private:
  static constexpr std::size_t kAlignment = 2 << 20;  // of a huge page
  struct Delete {
    void operator()(std::byte* memory) const;
  };

  std::unique_ptr<std::byte[], Delete> memory_;
  std::size_t size_ = 0;
};

}  // namespace heft::cpu
#pragma GCC visibility pop
