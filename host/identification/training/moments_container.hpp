// Container format of a moments file (*.heft, docs/moments.md): a header of fixed size, a
// description, numbers, a checksum. This file does not interpret them.
//
//   offset  size
//        0    16  "heft-moments-2" and line feeds
//       16     8  0x0102030405060708, the order of bytes of all numbers: little endian
//       24     8  bytes of the whole file
//       32     8  bytes of the description, unpacked
//       40     8  bytes of the description in the file: zlib (RFC 1950)
//       48     8  count of numbers
//       56     8  bytes of the numbers in the file
//       64     8  their layout: 0 consecutive doubles; 1 planes compressed by zlib: the first bytes
//                 of all doubles, then their second bytes, and so on
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

/// Maximum length of a description: a hundred bodies need a few hundred kilobytes.
inline constexpr std::size_t kLargestDescription = std::size_t{32} << 20;

struct MomentsContainer {
  std::string description;
  std::string packed_numbers;  ///< as stored in the file; see unpack_numbers
  std::size_t num_numbers = 0;
  bool in_planes = false;
};

/// Returns the bytes of a file. Equal inputs give equal bytes (with one implementation of zlib, if
/// anything is compressed).
std::string container_bytes(const std::string& description, std::span<const double> numbers,
                            bool in_planes);

/// Parses the bytes; `path` is for errors. Uses memory of a few times the input and the largest
/// description. Errors: an empty file, another type of file, an older or newer format, another byte
/// order, truncated, too long, altered.
Result<MomentsContainer> read_container(const std::string& bytes, const std::string& path);

/// Returns all numbers of a container, of which there must be `expected`; `path` is its file.
/// Errors: another count, a number that is not finite.
Result<std::vector<double>> unpack_numbers(const MomentsContainer& container, std::size_t expected,
                                           const std::string& path);

/// Magic at the start of all moments files, for any version.
inline constexpr const char* kMomentsMagic = "heft-moments-";

}  // namespace heft
