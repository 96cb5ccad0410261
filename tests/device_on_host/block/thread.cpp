// Interaction of threads.
#include "tests/device_on_host/block/thread.hpp"

#include <bit>
#include <cmath>

#include "tests/device_on_host/block/block.hpp"

namespace heft::device_on_host {

std::byte* Thread::checked(const Site& site, Space space, std::uint64_t address, std::uint32_t size,
                           AccessKind kind) {
  return block->check(*this, site, space, address, size, kind);
}

void Thread::stop_endless() {
  static constexpr Site kNowhere{.instruction = "a loop"};
  block->stop("a thread does not end", kNowhere, *this);
}

void Thread::trap(const Site& site) {
  block->stop("trap", site, *this);
}

void Thread::copy_async(const Site& site, std::uint64_t to, std::uint64_t from, std::uint32_t size,
                        std::uint32_t filled) {
  block->copy_async(*this, site, to, from, size, filled);
}
void Thread::commit_copies() {
  block->commit_copies(*this);
}
void Thread::wait_for_copies(std::size_t most_groups) {
  block->wait_for_copies(*this, most_groups);
}
void Thread::wait_for_all_copies() {
  block->wait_for_all_copies(*this);
}

void Thread::barrier_sync(const Site& site, std::uint32_t number, std::uint32_t num_threads) {
  block->barrier(*this, site, number, num_threads, true);
}
void Thread::barrier_arrive(const Site& site, std::uint32_t number, std::uint32_t num_threads) {
  block->barrier(*this, site, number, num_threads, false);
}

void Thread::warp_sync(const Site& site, std::uint32_t mask) {
  block->together(*this, site, mask, {}, {}, true);
}

/// As the pseudo-code of the PTX ISA.
Shuffled Thread::shuffle(const Site& site, ShuffleMode mode, std::uint32_t value, std::uint32_t b,
                         std::uint32_t c, std::uint32_t mask) {
  const std::uint32_t by = b & 31, clamp = c & 31, segment = c >> 8 & 31;
  const std::uint32_t last = (lane & segment) | (clamp & ~segment), first = lane & segment;
  std::uint32_t from = lane;
  bool is_in_range = false;
  switch (mode) {
    case ShuffleMode::up:
      from = lane - by;
      is_in_range = static_cast<std::int32_t>(from) >= static_cast<std::int32_t>(last);
      break;
    case ShuffleMode::down:
      from = lane + by;
      is_in_range = from <= last;
      break;
    case ShuffleMode::bfly:
      from = lane ^ by;
      is_in_range = from <= last;
      break;
    case ShuffleMode::idx:
      from = first | (by & ~segment);
      is_in_range = from <= last;
      break;
  }
  if (!is_in_range) from = lane;
  const WarpOperation& all = block->together(*this, site, mask, {value}, {});
  if (!(mask >> from & 1)) block->stop("shuffle from a lane that takes no part", site, *this);
  return {all.words[from][0], is_in_range};
}

std::uint32_t Thread::ballot(const Site& site, bool vote, std::uint32_t mask) {
  const WarpOperation& all = block->together(*this, site, mask, {vote}, {});
  std::uint32_t votes = 0;
  for (std::uint32_t k = 0; k < 32; ++k)
    if (mask >> k & 1) votes |= all.words[k][0] << k;
  return votes;
}

/// Lane: a(lane / 4, lane % 4), b(lane % 4, lane / 4), c and d(lane / 4, 2 (lane % 4) + 0 or 1).
MatrixEntries Thread::multiply_matrices(const Site& site, double a, double b, double c_left,
                                        double c_right) {
  const WarpOperation& all = block->together(*this, site, 0xFFFFFFFF, {}, {a, b, c_left, c_right});
  const std::uint32_t row = lane / 4, column = 2 * (lane % 4);
  double sums[2] = {c_left, c_right};
  for (std::uint32_t side = 0; side < 2; ++side)
    for (std::uint32_t k = 0; k < 4; ++k)
      sums[side] = std::fma(all.numbers[4 * row + k][0], all.numbers[4 * (column + side) + k][1],
                            sums[side]);
  return {sums[0], sums[1]};
}

}  // namespace heft::device_on_host
