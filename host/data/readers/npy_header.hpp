// Header of a NumPy file (.npy, versions 1 to 3): the position of every column's numbers within the
// rows.
//
//   "\x93NUMPY", version, length, then a Python dictionary as text:
//   {'descr': [('t', '<f8'), ('q', '<f4', (7,))], 'fortran_order': False, 'shape': (20001,), }
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "heft/base/result.hpp"

namespace heft {

inline constexpr std::string_view kNpyMagic = "\x93NUMPY";

/// Maximum number of bytes before the dictionary: magic, version, length.
inline constexpr std::size_t kNpyPreamble = 12;

/// Number format in the file; `none` for anything other than little-endian numbers of up to eight
/// bytes.
struct NpyNumber {
  enum class Kind { none, real, signed_integer, unsigned_integer } kind = Kind::none;
  std::size_t size = 0;  ///< bytes

  /// Returns the number at `bytes`.
  double load(const char* bytes) const {
    if (kind != Kind::real || size != sizeof(double)) return load_other(bytes);
    double number = 0;  // of nearly every log
    std::memcpy(&number, bytes, sizeof(number));
    return number;
  }

 private:
  double load_other(const char* bytes) const;
};

struct NpyField {
  std::string name;  ///< empty for padding, and for the field of a plain array
  NpyNumber number;
  std::size_t offset = 0;  ///< in the row
  bool is_vector = false;  ///< consists of `count` adjacent numbers, even if that is one
  std::size_t count = 1;   ///< 0: more than one dimension
  std::string type;        ///< as stated in the file, for errors
};

struct NpyHeader {
  std::vector<NpyField> fields;  ///< of a structured array; the one of a plain array
  bool is_structured = false;
  std::size_t item_size = 0;  ///< bytes of an element of the array
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
};

/// Returns the length of the dictionary and its start, from the first kNpyPreamble bytes. Error: an
/// unknown version.
struct NpyText {
  std::size_t begin, size;
};
Result<NpyText> find_npy_text(std::string_view preamble, const std::string& path);

/// Parses the dictionary. Errors: invalid text, Python objects, nested structures.
Result<NpyHeader> parse_npy_header(std::string_view text, const std::string& path);

}  // namespace heft
