// A thread of a block, for kernels translated to C++. In the plain build accesses are plain
// pointers; in the checked one (HEFT_DEVICE_CHECKED) every access and every basic block passes the
// checks and counters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/device_on_host/block/module.hpp"

#ifndef HEFT_DEVICE_CHECKED
#error "HEFT_DEVICE_CHECKED is 0 or 1"
#endif

namespace heft::device_on_host {

inline constexpr bool kIsChecked = HEFT_DEVICE_CHECKED;

/// Addresses of shared memory begin here, so that null is none of them.
inline constexpr std::uint32_t kSharedWindow = 1024;
/// A barrier that all threads of the block come to.
inline constexpr std::uint32_t kWholeBlock = 0;

struct Extent {
  std::uint32_t x = 1, y = 1, z = 1;
  std::uint32_t count() const { return x * y * z; }
};

enum class Space { generic, global, shared, local };
enum class AccessKind { load, store, atomic, copy_async };
enum class ShuffleMode { up, down, bfly, idx };

struct Shuffled {
  std::uint32_t value;
  bool is_in_range;
};

/// Entries (lane / 4, 2 (lane % 4)) and the one to its right, of the result of mma.m8n8k4.
struct MatrixEntries {
  double left, right;
};

class Block;

/// Memory of one thread, for as long as a function runs.
struct LocalMemory {
  std::byte* begin;
  std::size_t size;
  bool* is_written;  ///< of every byte
};

class Thread {
 public:
  Extent place, block_size, block_place, grid_size;
  std::uint32_t rank = 0, lane = 0, warp = 0;

  std::uint64_t shared_address(std::uint64_t generic) const {
    return generic - reinterpret_cast<std::uint64_t>(shared) + kSharedWindow;
  }
  std::uint64_t generic_address(std::uint64_t in_shared) const {
    return in_shared - kSharedWindow + reinterpret_cast<std::uint64_t>(shared);
  }

  /// Where `size` bytes at `address` are.
  const std::byte* load(const Site& site, Space space, std::uint64_t address, std::uint32_t size) {
    if constexpr (kIsChecked) return checked(site, space, address, size, AccessKind::load);
    return pointer(space, address);
  }
  std::byte* store(const Site& site, Space space, std::uint64_t address, std::uint32_t size) {
    if constexpr (kIsChecked) return checked(site, space, address, size, AccessKind::store);
    return pointer(space, address);
  }
  std::byte* atomic(const Site& site, Space space, std::uint64_t address, std::uint32_t size) {
    if constexpr (kIsChecked) return checked(site, space, address, size, AccessKind::atomic);
    return pointer(space, address);
  }

  /// cp.async: `filled` bytes from global memory, zeros up to `size`.
  void copy_async(const Site& site, std::uint64_t to, std::uint64_t from, std::uint32_t size,
                  std::uint32_t filled);
  void commit_copies();
  /// Until at most `most_groups` of the groups committed are under way.
  void wait_for_copies(std::size_t most_groups);
  void wait_for_all_copies();

  void barrier_sync(const Site& site, std::uint32_t number, std::uint32_t num_threads);
  void barrier_arrive(const Site& site, std::uint32_t number, std::uint32_t num_threads);
  void warp_sync(const Site& site, std::uint32_t mask);
  Shuffled shuffle(const Site& site, ShuffleMode mode, std::uint32_t value, std::uint32_t b,
                   std::uint32_t c, std::uint32_t mask);
  /// The lanes of `mask` whose vote is true.
  std::uint32_t ballot(const Site& site, bool vote, std::uint32_t mask);
  MatrixEntries multiply_matrices(const Site& site, double a, double b, double c_left,
                                  double c_right);
  [[noreturn]] void trap(const Site& site);

  /// A basic block begins.
  void enter(int basic_block) {
    if constexpr (kIsChecked) checked_enter(basic_block);
  }
  bool is_removed(int mutant) const {
    if constexpr (kIsChecked) return mutant == removed;
    return false;
  }

  // what follows is the block's
  Block* block = nullptr;
  std::byte* shared = nullptr;
  int removed = -1;  ///< the mutant that is on
  std::uint64_t steps_left = 0;
  std::uint32_t* block_counts = nullptr;  ///< times every basic block was entered; null: not
                                          ///< counted
  std::vector<LocalMemory> local_memory;

 private:
  std::byte* pointer(Space space, std::uint64_t address) const {
    return space == Space::shared ? shared + (static_cast<std::uint32_t>(address) - kSharedWindow)
                                  : reinterpret_cast<std::byte*>(address);
  }
  std::byte* checked(const Site& site, Space space, std::uint64_t address, std::uint32_t size,
                     AccessKind kind);
  void checked_enter(int basic_block) {
    if (block_counts) ++block_counts[basic_block];
    if (--steps_left == 0) stop_endless();
  }
  [[noreturn]] void stop_endless();
};

/// An array in local memory, poisoned.
template <std::size_t kSize, std::size_t kAlignment>
class LocalArray {
 public:
  explicit LocalArray(Thread& thread) : thread_(thread) {
    for (std::byte& b : bytes) b = std::byte{0xFF};
    if constexpr (kIsChecked) thread_.local_memory.push_back({bytes, kSize, is_written_});
  }
  LocalArray(const LocalArray&) = delete;
  LocalArray& operator=(const LocalArray&) = delete;
  ~LocalArray() {
    if constexpr (kIsChecked) thread_.local_memory.pop_back();
  }

  alignas(kAlignment) std::byte bytes[kSize];

 private:
  Thread& thread_;
  bool is_written_[kIsChecked ? kSize : 1] = {};
};

}  // namespace heft::device_on_host
