// The header of a NumPy file (.npy, versions 1 to 3): where the numbers of every column lie in its
// rows.
//
//   "\x93NUMPY", version, length, then a Python dictionary as text:
//   {'descr': [('t', '<f8'), ('q', '<f4', (7,))], 'fortran_order': False, 'shape': (20001,), }
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heft/base/result.hpp"

namespace heft {

inline constexpr std::string_view kNpyMagic = "\x93NUMPY";

/// Bytes from the start of the file up to the dictionary, at most: magic, version, length.
inline constexpr std::size_t kNpyPreamble = 12;

/// Numbers as they lie in the file; `none` for what is no little-endian number of up to eight
/// bytes.
struct NpyNumber {
  enum class Kind { none, real, signed_integer, unsigned_integer } kind = Kind::none;
  std::size_t size = 0;  ///< bytes

  /// The number at `bytes`.
  double load(const char* bytes) const;
};

struct NpyField {
  std::string name;  ///< empty for padding, and for the field of a plain array
  NpyNumber number;
  std::size_t offset = 0;  ///< in the row
  bool is_vector = false;  ///< of `count` numbers side by side, even if it is one
  std::size_t count = 1;   ///< 0: more dimensions than one
  std::string type;        ///< as the file says, for errors
};

struct NpyHeader {
  std::vector<NpyField> fields;  ///< of a structured array; the one of a plain array
  bool is_structured = false;
  std::size_t item_size = 0;  ///< bytes of an element of the array
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
};

/// Length of the dictionary, and where it begins, from the first kNpyPreamble bytes. Error: an
/// unknown version.
struct NpyText {
  std::size_t begin, size;
};
Result<NpyText> find_npy_text(std::string_view preamble, const std::string& path);

/// Understands the dictionary. Errors: text that is no such dictionary, Python objects, structures
/// in structures.
Result<NpyHeader> parse_npy_header(std::string_view text, const std::string& path);

}  // namespace heft
