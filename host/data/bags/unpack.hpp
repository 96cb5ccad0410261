// Decompression: lz4 frames and zstd.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bags/recording.hpp"
#include "heft/base/result.hpp"

namespace heft::bags {

/// Decompresses `packed` into `bytes`, which grows with the data: a declared size alone allocates
/// little. Errors: an unknown method, a library missing from this build, damaged data, a result
/// that is not `size` bytes.
Result<Done> unpack(std::string_view method, std::string_view packed, std::size_t size,
                    std::vector<char>& bytes, const std::string& where);

inline constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";

/// Returns the maximum decompressed size of a file: above that of real recordings, and a bound on
/// the work that a small file can cause.
constexpr std::uint64_t most_unpacked(std::uint64_t packed) {
  constexpr std::uint64_t kSmall = std::uint64_t{1} << 28;  ///< allowed for every file
  constexpr std::uint64_t kMostTimesLarger = 1000;
  return kSmall + kMostTimesLarger * packed;
}

/// Decompresses one message. rosbag2 may compress every message by zstd, stated only in its
/// metadata; CDR data never start with the zstd magic. `bytes` is scratch memory.
Result<Done> unpack_message(Message& message, const std::string& where, std::vector<char>& bytes);

/// Decompresses the whole file by zstd into the open file `descriptor`. Further error: more than
/// `limit` bytes.
Result<Done> unpack_zstd_file(const std::string& path, int descriptor, unsigned long long limit);

}  // namespace heft::bags
