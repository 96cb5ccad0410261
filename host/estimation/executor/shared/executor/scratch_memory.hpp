// Scratch memory of one thread.
#pragma once

#include <cstddef>
#include <memory>

#pragma GCC visibility push(default)
namespace heft::cpu {

/// Memory that is kept between calls, because new pages cost more than the work of a small call.
/// Large blocks request huge pages, because their small pages would exceed the processor's
/// translation buffer.
class ScratchMemory {
 public:
  /// Returns at least num_bytes, aligned to a page; valid until the next call.
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
