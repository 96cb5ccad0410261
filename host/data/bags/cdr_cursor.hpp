// Sequential reader for the bytes of a message: CDR versions 1 and 2 in both byte orders, and the
// packed form of ROS 1.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "message_layout.hpp"
#include "message_type.hpp"

namespace heft::bags {

struct CdrCursor {
  const char* begin = nullptr;  ///< origin of alignment
  const char* at = nullptr;
  const char* end = nullptr;
  std::size_t max_alignment = 8;  ///< 1: packed
  bool swaps = false;             ///< byte order differs from this machine
  bool is_ros1 = false;           ///< strings without a terminating zero
  bool is_version_2 = false;      ///< XCDR2: a size precedes arrays of non-primitive elements
  bool is_delimited = false;      ///< XCDR2: a size precedes extensible structures
  std::size_t* steps = nullptr;   ///< remaining budget of visited fields and structures, shared by
                                  ///< copies of this cursor
  MessageLayout* layout = nullptr;  ///< that is being recorded; null: none

  // empty structures, and arrays scanned before they are read, multiply the work with nesting depth
  bool spend_step() {
    if (*steps == 0) return false;
    --*steps;
    return true;
  }

  std::size_t left() const { return static_cast<std::size_t>(end - at); }

  bool align(std::size_t size) {
    const std::size_t alignment = size < max_alignment ? size : max_alignment;
    const std::size_t past = static_cast<std::size_t>(at - begin) & (alignment - 1);
    if (past == 0) return true;
    if (alignment - past > left()) return false;
    at += alignment - past;
    return true;
  }
  bool skip(std::size_t size) {
    if (size > left()) return false;
    at += size;
    return true;
  }
  bool count(std::uint32_t& value) {
    if (!align(4) || left() < 4) return false;
    if (layout != nullptr) layout->depend_on(at, 4);
    value = load<std::uint32_t>(at);
    at += 4;
    return true;
  }
  bool text(std::string_view& value) {
    std::uint32_t size = 0;
    if (!count(size) || size > left()) return false;
    value = {at, size};
    at += size;
    if (!is_ros1 && !value.empty() && value.back() == '\0') value.remove_suffix(1);
    return true;
  }

  template <class Number>
  Number load(const char* from) const {
    Number value;
    if (!swaps) {
      std::memcpy(&value, from, sizeof value);
    } else {
      char bytes[sizeof value];
      for (std::size_t k = 0; k < sizeof value; ++k) bytes[k] = from[sizeof value - 1 - k];
      std::memcpy(&value, bytes, sizeof value);
    }
    return value;
  }

  /// Returns the number of a kind at `from`, which lies within the message.
  double number(FieldKind kind, const char* from) const {
    switch (kind) {
      case FieldKind::float64:
        return load<double>(from);
      case FieldKind::float32:
        return static_cast<double>(load<float>(from));
      case FieldKind::int32:
        return load<std::int32_t>(from);
      case FieldKind::uint32:
        return load<std::uint32_t>(from);
      case FieldKind::int64:
        return static_cast<double>(load<std::int64_t>(from));
      case FieldKind::uint64:
        return static_cast<double>(load<std::uint64_t>(from));
      case FieldKind::int16:
        return load<std::int16_t>(from);
      case FieldKind::uint16:
        return load<std::uint16_t>(from);
      case FieldKind::int8:
        return load<std::int8_t>(from);
      case FieldKind::uint8:
        return load<std::uint8_t>(from);
      default:
        return *from != 0 ? 1 : 0;
    }
  }
};

}  // namespace heft::bags
