// The bytes of a moments file (*.heft, docs/moments.md): a head of fixed size, a description,
// numbers, a checksum. This part knows nothing of what they mean.
//
//   offset  size
//        0    16  "heft-moments-2" and line feeds
//       16     8  0x0102030405060708, the order of bytes of all numbers: little endian
//       24     8  bytes of the whole file
//       32     8  bytes of the description, unpacked
//       40     8  bytes of the description in the file: zlib (RFC 1950)
//       48     8  how many numbers
//       56     8  bytes of the numbers in the file
//       64     8  how they lie there: 0 doubles one after the other; 1 in planes, by zlib: the
//                 first bytes of all
//                 doubles, then their second bytes, and so on
//       72        description: JSON, UTF-8; zero bytes up to a multiple of 8; numbers: IEEE 754
//                 doubles
//      end    64  SHA-256 of everything before, in lower-case hexadecimal digits
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "heft/base/result.hpp"

namespace heft {

inline constexpr int kMomentsFormat = 2;

/// The longest description that is believed: some hundred bodies take a few hundred kilobytes.
inline constexpr std::size_t kLargestDescription = std::size_t{32} << 20;

struct MomentsContainer {
  std::string description;
  std::string packed_numbers;  ///< as they lie in the file; unpack_numbers
  std::size_t num_numbers = 0;
  bool in_planes = false;
};

/// The bytes of a file. Equal inputs give equal bytes (of one implementation of zlib, if anything
/// is packed).
std::string container_bytes(const std::string& description, std::span<const double> numbers,
                            bool in_planes);

/// Takes the bytes apart; `path` is for errors. Memory stays within a few times the bytes given and
/// the largest description. Errors: an empty file, no moments file, an older or newer format,
/// another order of bytes, truncated, too long, altered.
Result<MomentsContainer> read_container(const std::string& bytes, const std::string& path);

/// All numbers of a container, in whose file `path` there must be `expected`. Error: another number
/// of them, one that is not finite.
Result<std::vector<double>> unpack_numbers(const MomentsContainer& container, std::size_t expected,
                                           const std::string& path);

/// What all moments files begin with, of whatever format.
inline constexpr const char* kMomentsMagic = "heft-moments-";

}  // namespace heft
