// A 64-bit FNV-1a hash of what defines a layout: layouts with the same fingerprint hold the same quantities.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

namespace heft {

class Fingerprint {
 public:
  void add(std::string_view text) {
    for (char c : text) add_byte(static_cast<unsigned char>(c));
    add_byte(0);
  }
  void add(int number) { add_bits(static_cast<std::uint64_t>(number)); }
  void add(double number) { add_bits(std::bit_cast<std::uint64_t>(number)); }
  std::uint64_t value() const { return hash_; }

 private:
  void add_bits(std::uint64_t bits) {
    for (int shift = 0; shift < 64; shift += 8) add_byte(static_cast<unsigned char>(bits >> shift));
  }
  void add_byte(unsigned char byte) { hash_ = (hash_ ^ byte) * 0x100000001b3u; }

  std::uint64_t hash_ = 0xcbf29ce484222325u;
};

}  // namespace heft
