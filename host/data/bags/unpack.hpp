// Compressed bytes: lz4 frames and zstd.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bags/recording.hpp"
#include "heft/base/result.hpp"

namespace heft::bags {

/// Unpacks `packed` into `bytes`, which grows as data come: a declared size alone allocates little.
/// Errors: an unknown method, a library that this program was built without, damaged data, more or
/// less than `size` bytes.
Result<Done> unpack(std::string_view method, std::string_view packed, std::size_t size,
                    std::vector<char>& bytes, const std::string& where);

inline constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";

/// Bytes that a file may unpack to at most: more than recordings do, and a bound on the work that a
/// small file makes.
constexpr std::uint64_t most_unpacked(std::uint64_t packed) {
  constexpr std::uint64_t kSmall = std::uint64_t{1} << 28;  ///< that any file may become
  constexpr std::uint64_t kMostTimesLarger = 1000;
  return kSmall + kMostTimesLarger * packed;
}

/// rosbag2 may compress every message by zstd, which only its metadata says; CDR doesn't begin so.
/// `bytes` is memory to use.
Result<Done> unpack_message(Message& message, const std::string& where, std::vector<char>& bytes);

/// Unpacks the whole file by zstd into the open file `descriptor`. Errors: besides, more than
/// `limit` bytes.
Result<Done> unpack_zstd_file(const std::string& path, int descriptor, unsigned long long limit);

}  // namespace heft::bags
