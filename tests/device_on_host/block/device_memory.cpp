#include "tests/device_on_host/block/device_memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "tests/device_on_host/block/thread.hpp"

namespace heft::device_on_host {

namespace {

constexpr std::size_t kAlignment = 256;  // of cudaMalloc

}  // namespace

std::byte* DeviceMemory::allocate(std::size_t size, bool is_pinned) {
  const std::size_t padded = (size + kAlignment - 1) / kAlignment * kAlignment;
  void* const memory = std::aligned_alloc(kAlignment, padded + kAlignment);  // a gap to the next
                                                                             // piece
  if (!memory) throw std::bad_alloc();
  std::memset(memory, 0xFF, padded + kAlignment);
  if (is_pinned)
    std::fill_n(static_cast<std::uint32_t*>(memory), padded / sizeof(std::uint32_t), kUnwritten);
  Piece& piece = pieces_[reinterpret_cast<std::uint64_t>(memory)];
  piece = {static_cast<std::byte*>(memory), size, is_pinned, ++num_allocations_, {}};
  if (!is_pinned) {
    bytes_of_device_ += size;
    if constexpr (kIsChecked) piece.shadow.resize((size + 3) / 4);
  }
  return piece.begin;
}

bool DeviceMemory::release(void* begin, bool is_pinned) {
  const auto found = pieces_.find(reinterpret_cast<std::uint64_t>(begin));
  if (found == pieces_.end() || found->second.is_pinned != is_pinned) return false;
  if (!is_pinned) bytes_of_device_ -= found->second.size;
  std::memset(begin, 0xFF, found->second.size);
  std::free(begin);
  pieces_.erase(found);
  return true;
}

Piece* DeviceMemory::find(std::uint64_t address) {
  auto next = pieces_.upper_bound(address);
  if (next == pieces_.begin()) return nullptr;
  --next;
  return address < next->first + next->second.size ? &next->second : nullptr;
}

void DeviceMemory::mark_written(Piece& piece, std::uint64_t address, std::size_t size,
                                const std::byte* pinned) {
  if constexpr (!kIsChecked) return;
  const std::uint64_t offset = address - reinterpret_cast<std::uint64_t>(piece.begin);
  const auto is_unwritten = [&](std::uint64_t byte) {  // of the words of the pinned memory, which
                                                       // begins aligned
    std::uint32_t word = 0;
    const std::uint64_t first = byte - byte % sizeof word;
    if (!pinned || first + sizeof word > size) return false;
    std::memcpy(&word, pinned + first, sizeof word);
    return word == kUnwritten;
  };
  for (std::uint64_t at = offset; at < offset + size; ++at) {
    if (is_unwritten(at - offset)) continue;
    Shadow& shadow = piece.shadow[at / 4];
    shadow.is_written = static_cast<std::uint8_t>((shadow.is_written | 1u << at % 4) & 15);
  }
}

DeviceMemory& device_memory() {
  static auto* const memory = new DeviceMemory;  // programs free memory until their very end
  return *memory;
}

std::string describe(std::uint64_t address) {
  const Piece* const piece = device_memory().find(address);
  if (!piece) return "address " + std::to_string(address);
  return "byte " + std::to_string(address - reinterpret_cast<std::uint64_t>(piece->begin)) +
         " of the " + std::to_string(piece->size) + " of " + (piece->is_pinned ? "pinned " : "") +
         "allocation " + std::to_string(piece->number);
}

}  // namespace heft::device_on_host
