// CRC-32 of MCAP chunks (zlib's polynomial).
#pragma once

#include <cstddef>
#include <cstdint>

namespace heft::bags {

/// Returns the CRC-32 of the bytes, as zlib's crc32(0, bytes, size).
std::uint32_t checksum(const char* bytes, std::size_t size);

}  // namespace heft::bags
