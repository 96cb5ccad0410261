// Memory of large arrays of rows, in large pages if the system provides them: first touches of
// small pages take longer than computing the rows. The memory of the array freed last is reused by
// the next one of about its size, which avoids first touches.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "module.hpp"

namespace heft::python {

/// Memory of one robot, shared by its live arrays, each of which returns its block when it is
/// destroyed.
class RowMemory : public std::enable_shared_from_this<RowMemory> {
 public:
  RowMemory() = default;
  RowMemory(const RowMemory&) = delete;
  RowMemory& operator=(const RowMemory&) = delete;
  ~RowMemory() { std::free(kept_.memory); }

  /// Returns at least `size` bytes with the owner that releases them.
  std::pair<void*, nb::capsule> take(std::size_t size) {
    size = (size + kLargePage - 1) / kLargePage * kLargePage;
    auto lent = std::make_unique<Lent>(Lent{shared_from_this(), kept_of(size)});
    if (!lent->block.memory) lent->block = {new_memory(size), size};
    void* const memory = lent->block.memory;
    nb::capsule owner(lent.get(), [](void* given) noexcept {
      const std::unique_ptr<Lent> back(static_cast<Lent*>(given));
      back->from->keep(back->block);
    });
    lent.release();
    return {memory, std::move(owner)};
  }

 private:
  static constexpr std::size_t kLargePage = std::size_t{2} << 20, kMaxKept = std::size_t{256} << 20;

  struct Block {
    void* memory = nullptr;
    std::size_t size = 0;
  };
  struct Lent {
    std::shared_ptr<RowMemory> from;
    Block block;
  };

  static void* new_memory(std::size_t size) {
    void* const memory = std::aligned_alloc(kLargePage, size);
    if (!memory) throw std::bad_alloc();
    madvise(memory, size, MADV_HUGEPAGE);  // a wish: without it the same memory in small pages
    return memory;
  }

  /// The kept block if it fits and no more than half of it is wasted; it is no longer kept.
  Block kept_of(std::size_t size) {
    const std::lock_guard lock(mutex_);
    if (kept_.size < size || kept_.size > 2 * size) return {};
    return std::exchange(kept_, {});
  }

  void keep(Block block) noexcept {
    {
      const std::lock_guard lock(mutex_);
      if (block.size <= kMaxKept) std::swap(block, kept_);
    }
    std::free(block.memory);
  }

  std::mutex mutex_;
  Block kept_;
};

}  // namespace heft::python
