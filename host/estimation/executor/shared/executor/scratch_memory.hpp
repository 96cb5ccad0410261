// Scratch memory of one thread.
#pragma once

#include <cstddef>
#include <memory>

#pragma GCC visibility push(default)
namespace heft::cpu {

/// Kept from call to call: fresh pages cost more than the work of a small call. What is large asks
/// for huge pages, since it spans more small ones than a processor keeps translations of.
class ScratchMemory {
 public:
  /// At least num_bytes, aligned to a page; valid until the next call.
  void* at_least(std::size_t num_bytes);

 private:
  static constexpr std::size_t kPage = 4 << 10, kHugePage = 2 << 20;
  struct Delete {
    std::size_t alignment;
    void operator()(std::byte* memory) const;
  };

  std::unique_ptr<std::byte[], Delete> memory_{nullptr, Delete{kPage}};
  std::size_t size_ = 0;
};

}  // namespace heft::cpu
#pragma GCC visibility pop
