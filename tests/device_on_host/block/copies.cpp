// cp.async: copies from global to shared memory concurrent with the thread. They complete either
// when the thread waits for them, the latest time possible, or at once, the earliest; until then no
// thread may access either side.
#include <cstring>

#include "tests/device_on_host/block/block.hpp"
#include "tests/device_on_host/block/findings.hpp"
#include "tests/device_on_host/block/profile.hpp"

namespace heft::device_on_host {

void Block::copy_async(Thread& thread, const Site& site, std::uint64_t to, std::uint64_t from,
                       std::uint32_t size, std::uint32_t filled) {
  if (filled > size) stop("cp.async of more bytes than it has", site, thread);
  const Copy copy{&site, shared_ + (static_cast<std::uint32_t>(to) - kSharedWindow),
                  reinterpret_cast<std::byte*>(from), size, filled};
  if constexpr (kIsChecked) {
    for (const std::uint64_t address : {to, from})
      if (address % size != 0) stop("misaligned cp.async", site, thread, where(address));
    if (to < kSharedWindow || to - kSharedWindow + size > shared_bytes_)
      stop("cp.async beyond shared memory", site, thread, where(to));
    if (filled > 0) check(thread, site, Space::global, from, filled, AccessKind::copy_async);
    set_under_way(copy, true);
  }
  if (circumstances_.copies_are_early) carry_out(copy);
  states_[thread.rank].copies.back().push_back(copy);
}

void Block::set_under_way(const Copy& copy, bool is_under_way) {
  for (std::uint32_t byte = 0; byte < copy.size; byte += 4)
    shared_shadow_[(static_cast<std::size_t>(copy.to - shared_) + byte) / 4].is_under_way =
        is_under_way;
}

void Block::commit_copies(Thread& thread) {
  states_[thread.rank].copies.emplace_back();
}

void Block::wait_for_copies(Thread& thread, std::size_t most_groups) {
  auto& groups = states_[thread.rank].copies;
  while (groups.size() - 1 > most_groups) {
    finish_copies(thread, groups.front());
    groups.erase(groups.begin());
  }
}

void Block::wait_for_all_copies(Thread& thread) {
  auto& groups = states_[thread.rank].copies;
  for (const std::vector<Copy>& group : groups) finish_copies(thread, group);
  groups.assign(1, {});
}

void Block::finish_copies(Thread& thread, const std::vector<Copy>& group) {
  for (const Copy& copy : group) {
    if constexpr (kIsChecked) {
      set_under_way(copy, false);
      check(thread, *copy.site, Space::generic, reinterpret_cast<std::uint64_t>(copy.to), copy.size,
            AccessKind::store);
    }
    if (!circumstances_.copies_are_early) carry_out(copy);
  }
}

void Block::carry_out(const Copy& copy) {
  std::memcpy(copy.to, copy.from, copy.filled);
  std::memset(copy.to + copy.filled, 0, copy.size - copy.filled);
}

}  // namespace heft::device_on_host
