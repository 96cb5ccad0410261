// The memory of the device: allocations with their shadows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/device_on_host/block/shadow.hpp"

namespace heft::device_on_host {

struct Piece {
  std::byte* begin = nullptr;
  std::size_t size = 0;
  bool is_pinned = false;      ///< of the host, page-locked: not for kernels
  int number = 0;              ///< counted from 1 in the order of allocation
  std::vector<Shadow> shadow;  ///< of every four bytes of the device's, in the checked build
};

class DeviceMemory {
 public:
  static constexpr std::uint32_t kUnwritten = 0xFFF7FFF7;

  /// Poisoned: bytes of 0xFF are NaN to double and float, and -1. In pinned memory with words of
  /// kUnwritten, NaN as well.
  std::byte* allocate(std::size_t size, bool is_pinned);
  /// False if no piece begins there.
  bool release(void* begin, bool is_pinned);

  /// The piece that `address` is in; null if none.
  Piece* find(std::uint64_t address);

  /// Marks as written what the host copies to the device, byte by byte; of pinned memory except
  /// unwritten words.
  static void mark_written(Piece& piece, std::uint64_t address, std::size_t size,
                           const std::byte* pinned = nullptr);

  std::size_t bytes_of_device() const { return bytes_of_device_; }
  std::size_t num_pieces() const { return pieces_.size(); }

 private:
  std::map<std::uint64_t, Piece> pieces_;
  std::size_t bytes_of_device_ = 0;
  int num_allocations_ = 0;
};

DeviceMemory& device_memory();

/// For findings: "byte 16 of piece 3 (1024 bytes)", or the bare address.
std::string describe(std::uint64_t address);

}  // namespace heft::device_on_host
