// Checks of a thread's accesses in the checked build: bounds, alignment, unwritten memory, and
// races.
#include <bit>
#include <cstdio>

#include "tests/device_on_host/block/block.hpp"
#include "tests/device_on_host/block/findings.hpp"
#include "tests/device_on_host/block/profile.hpp"

namespace heft::device_on_host {

namespace {

bool writes(AccessKind kind) {
  return kind == AccessKind::store || kind == AccessKind::atomic;
}

const char* name(AccessKind kind) {
  switch (kind) {
    case AccessKind::store:
      return "store";
    case AccessKind::atomic:
      return "atomic";
    default:
      return "load";
  }
}

}  // namespace

std::byte* Block::check(Thread& thread, const Site& site, Space space, std::uint64_t address,
                        std::uint32_t size, AccessKind kind) {
  const auto here = [&] { return (space == Space::shared ? "shared byte " : "") + where(address); };
  if (address % size != 0) stop(std::string("misaligned ") + name(kind), site, thread, here());
  const Place place = find(thread, site, space, address, size, kind);
  if (!place.shadow) return reinterpret_cast<std::byte*>(address);
  std::byte* const at = space == Space::shared ? shared_ + (address - kSharedWindow)
                                               : reinterpret_cast<std::byte*>(address);
  const std::uint32_t used =
      writes(kind) || kind == AccessKind::atomic ? 0xFFFFFFFF : site.used_bytes;
  const std::uint32_t begin = static_cast<std::uint32_t>(address % 4);
  for (std::uint32_t byte = 0; byte < size; byte += 4 - begin) {
    const std::uint32_t here_bytes = std::min(4 - begin, size - byte);
    const unsigned bytes = (used >> byte & ((1u << here_bytes) - 1)) << begin;
    if (bytes)
      check_word(thread, site, place.shadow[byte / 4], bytes, place.is_shared, kind, address);
  }
  return at;
}

Block::Place Block::find(Thread& thread, const Site& site, Space space, std::uint64_t address,
                         std::uint32_t size, AccessKind kind) {
  const auto wrong = [&](const char* how) {
    stop(std::string(name(kind)) + " " + how, site, thread, where(address));
  };
  const std::uint64_t shared_begin = reinterpret_cast<std::uint64_t>(shared_);
  const auto in_shared = [&](std::uint64_t offset) -> Place {
    if (offset + size > shared_bytes_) wrong("beyond shared memory");
    if (profile_) profile_->access(thread, site, Space::shared, offset, size, kind);
    return {&shared_shadow_[offset / 4], true};
  };
  if (space == Space::shared) {
    if (address < kSharedWindow) wrong("beyond shared memory");
    return in_shared(address - kSharedWindow);
  }
  if (space == Space::generic && address >= shared_begin && address < shared_begin + shared_bytes_)
    return in_shared(address - shared_begin);
  if (space != Space::global && find_local(thread, site, address, size, kind))
    return {nullptr, false};
  if (space == Space::local) wrong("beyond local memory");
  const auto is_in = [address](const Piece& piece) {
    const std::uint64_t begin = reinterpret_cast<std::uint64_t>(piece.begin);
    return address >= begin && address < begin + piece.size;
  };
  if (!last_piece_ || !is_in(*last_piece_)) last_piece_ = device_memory().find(address);
  if (!last_piece_) {
    for (const ConstantMemory& constant : launch_.module->constants) {
      const std::uint64_t begin = reinterpret_cast<std::uint64_t>(constant.begin);
      if (kind == AccessKind::load && address >= begin && address + size <= begin + constant.size) {
        if (profile_) profile_->access(thread, site, Space::global, address, size, kind);
        return {nullptr, false};
      }
    }
    wrong("of no memory of the device");
  }
  if (last_piece_->is_pinned) wrong("of memory of the host");
  const std::uint64_t offset = address - reinterpret_cast<std::uint64_t>(last_piece_->begin);
  if (offset + size > last_piece_->size) wrong("beyond an allocation");
  if (profile_) profile_->access(thread, site, Space::global, address, size, kind);
  return {&last_piece_->shadow[offset / 4], false};
}

bool Block::find_local(Thread& thread, const Site& site, std::uint64_t address, std::uint32_t size,
                       AccessKind kind) {
  for (const LocalMemory& memory : thread.local_memory) {
    const std::uint64_t begin = reinterpret_cast<std::uint64_t>(memory.begin),
                        offset = address - begin;
    if (address < begin || offset + size > memory.size) continue;
    for (std::uint32_t k = 0; k < size; ++k) {
      if (kind == AccessKind::load && (site.used_bytes >> k & 1) && !memory.is_written[offset + k])
        findings().add("load of unwritten local memory", site, thread);
      if (writes(kind)) memory.is_written[offset + k] = true;
    }
    if (profile_) profile_->access(thread, site, Space::local, offset, size, kind);
    return true;
  }
  return false;
}

void Block::check_word(const Thread& thread, const Site& site, Shadow& shadow, unsigned bytes,
                       bool is_shared, AccessKind kind, std::uint64_t address) {
  const auto race = [&](const char* of, const char* after) {
    findings().add(std::string("race ") + of + ": " + name(kind) + " after " + after, site, thread,
                   where(address));
  };
  if (shadow.is_under_way)
    findings().add(std::string(name(kind)) + " of what cp.async still brings", site, thread,
                   where(address));
  const bool are_both_atomic = kind == AccessKind::atomic && shadow.was_atomic;
  if (shadow.write_stamp >= first_stamp_ && (shadow.write_bytes & bytes) && !are_both_atomic) {
    if (shadow.write_stamp < order_.first())
      race("between blocks", "store");
    else if (!order_.is_before(shadow.write_stamp, shadow.write_thread, thread.rank))
      race("in a block", "store");
  }
  if (kind != AccessKind::store && (shadow.is_written & bytes) != bytes)
    findings().add(std::string(name(kind)) + " of unwritten memory", site, thread, where(address));
  if (!writes(kind)) return note_read(thread, shadow, bytes);
  if (shadow.read_stamp >= first_stamp_ && (shadow.read_bytes & bytes)) {
    if (!is_shared && (shadow.is_read_by_blocks || shadow.read_stamp < order_.first()))
      race("between blocks", "load");
    else if (!are_reads_before(shadow, thread))
      race("in a block", "load");
  }
  const std::uint32_t stamp = order_.stamp(thread.rank);
  const bool goes_on = shadow.write_stamp == stamp && shadow.write_thread == thread.rank;
  shadow.write_bytes =
      static_cast<std::uint8_t>((goes_on ? shadow.write_bytes | bytes : bytes) & 15);
  shadow.write_stamp = stamp;
  shadow.write_thread = static_cast<std::uint16_t>(thread.rank);
  shadow.was_atomic = kind == AccessKind::atomic;
  shadow.is_written = static_cast<std::uint8_t>((shadow.is_written | bytes) & 15);
}

void Block::note_read(const Thread& thread, Shadow& shadow, unsigned bytes) {
  const std::uint32_t stamp = order_.stamp(thread.rank);
  if (shadow.read_stamp < first_stamp_) {
    shadow.is_read_by_blocks = false;
    shadow.read_bytes = 0;
  } else if (shadow.read_stamp < order_.first()) {
    shadow.is_read_by_blocks = true;
  }
  const bool is_first = shadow.read_stamp < order_.floor();  // older ones are before whatever comes
  const bool is_alone = is_first || shadow.read_thread == thread.rank;
  if (follows_readers_) {
    std::vector<std::uint32_t>& stamps = readers_[&shadow];
    if (is_first) stamps.clear();
    stamps.resize(threads_.size(), 0);
    stamps[thread.rank] = stamp;
  }
  shadow.read_thread = is_alone ? static_cast<std::uint16_t>(thread.rank) : Shadow::kSeveral;
  shadow.read_stamp = std::max(shadow.read_stamp, stamp);
  shadow.read_bytes = static_cast<std::uint8_t>((shadow.read_bytes | bytes) & 15);
}

bool Block::are_reads_before(const Shadow& shadow, const Thread& thread) const {
  if (shadow.read_thread != Shadow::kSeveral)
    return order_.is_before(shadow.read_stamp, shadow.read_thread, thread.rank);
  const auto found = readers_.find(&shadow);
  if (found == readers_.end()) return shadow.read_stamp < order_.floor();
  for (std::uint32_t other = 0; other < found->second.size(); ++other)
    if (!order_.is_before(found->second[other], other, thread.rank)) return false;
  return true;
}

std::string Block::where(std::uint64_t address) const {
  const std::uint64_t shared_begin = reinterpret_cast<std::uint64_t>(shared_);
  const auto of_shared = [this](std::uint64_t offset) {
    return "byte " + std::to_string(offset) + " of the " + std::to_string(shared_bytes_) +
           " of shared memory";
  };
  if (address >= shared_begin && address < shared_begin + shared_bytes_)
    return of_shared(address - shared_begin);
  if (address < (std::uint64_t{1} << 32)) return of_shared(address - kSharedWindow);
  return describe(address);
}

}  // namespace heft::device_on_host
