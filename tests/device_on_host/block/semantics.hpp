// Instructions of PTX without a C++ operator, as the PTX ISA defines them.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace heft::device_on_host {

using wide = unsigned __int128;
using signed_wide = __int128;

template <class To, class From>
To bits_as(From from) {
  return std::bit_cast<To>(from);
}

template <class T>
T read(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}
template <class T>
void write(std::byte* at, std::type_identity_t<T> value) {
  std::memcpy(at, &value, sizeof(T));
}

template <class T>
std::uint64_t address_of(const T* memory) {
  return reinterpret_cast<std::uint64_t>(memory);
}

// integers

template <class Unsigned>
Unsigned low_product(Unsigned a, Unsigned b) {
  return static_cast<Unsigned>(std::uint64_t{a} * b);
}

/// Division by zero gives all ones, the least number by -1 itself, as devices do.
template <class T>
T quotient(T a, T b) {
  if (b == 0) return static_cast<T>(-1);
  if (std::is_signed_v<T> && b == static_cast<T>(-1))
    return static_cast<T>(std::make_unsigned_t<T>(0) - static_cast<std::make_unsigned_t<T>>(a));
  return static_cast<T>(a / b);
}
template <class T>
T remainder(T a, T b) {
  if (b == 0) return a;
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
  return static_cast<T>(a % b);
}

template <class T>
T negated(T a) {
  if constexpr (std::is_floating_point_v<T>)
    return -a;
  else
    return static_cast<T>(std::make_unsigned_t<T>(0) - static_cast<std::make_unsigned_t<T>>(a));
}
template <class T>
T absolute(T a) {
  if constexpr (std::is_floating_point_v<T>)
    return std::fabs(a);
  else
    return a < 0 ? negated(a) : a;
}

/// Of a number and NaN the number; -0 is less than +0.
template <class T>
T least(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a != a) return b;
    if (a == b) return std::signbit(a) ? a : b;
    return b < a ? b : a;
  } else {
    return b < a ? b : a;
  }
}
template <class T>
T greatest(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a != a) return b;
    if (a == b) return std::signbit(a) ? b : a;
    return b > a ? b : a;
  } else {
    return b > a ? b : a;
  }
}

/// Shifts by more than the width are by the width.
template <class T>
T shifted_left(T a, std::uint32_t by) {
  return by >= 8 * sizeof(T) ? T(0) : static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) << by);
}
template <class T>
T shifted_right(T a, std::uint32_t by) {
  if (by < 8 * sizeof(T)) return static_cast<T>(a >> by);
  return a < 0 ? static_cast<T>(-1) : T(0);
}

inline std::uint32_t wrapped_shift(std::uint32_t by) {
  return by & 31;
}
inline std::uint32_t clamped_shift(std::uint32_t by) {
  return by < 32 ? by : 32;
}
inline std::uint32_t funnel_left(std::uint32_t low, std::uint32_t high, std::uint32_t by) {
  return static_cast<std::uint32_t>((std::uint64_t{high} << 32 | low) >> (32 - by));
}
inline std::uint32_t funnel_right(std::uint32_t low, std::uint32_t high, std::uint32_t by) {
  return static_cast<std::uint32_t>((std::uint64_t{high} << 32 | low) >> by);
}

/// b with its bits [at, at + length) those of a.
template <class T>
T with_bits(T a, T b, std::uint32_t at, std::uint32_t length) {
  at &= 255, length &= 255;
  for (std::uint32_t k = 0; k < length && at + k < 8 * sizeof(T); ++k) {
    const T bit = static_cast<T>(T(1) << (at + k));
    b = (a >> k & 1) ? b | bit : b & ~bit;
  }
  return b;
}
/// Bits [at, at + length) of a, with the sign of the last of them if T has one.
template <class T>
T bits_of(T a, std::uint32_t at, std::uint32_t length) {
  using Unsigned = std::make_unsigned_t<T>;
  constexpr std::uint32_t kBits = 8 * sizeof(T);
  at &= 255, length &= 255;
  if (length == 0) return 0;
  const std::uint32_t top = std::min(at + length - 1, kBits - 1);
  const bool sign = std::is_signed_v<T> && (static_cast<Unsigned>(a) >> top & 1);
  Unsigned result = 0;
  for (std::uint32_t k = 0; k < kBits; ++k) {
    const bool bit = k < length && at + k < kBits ? static_cast<Unsigned>(a) >> (at + k) & 1 : sign;
    result |= static_cast<Unsigned>(Unsigned{bit} << k);
  }
  return static_cast<T>(result);
}
template <class T>
T reversed(T a) {
  T result = 0;
  for (std::size_t k = 0; k < 8 * sizeof(T); ++k) result |= (a >> k & 1) << (8 * sizeof(T) - 1 - k);
  return result;
}
/// Bit by bit, what `table` says of the bits (a, b, c).
inline std::uint32_t logic_of_three(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                    std::uint32_t table) {
  std::uint32_t result = 0;
  for (int k = 0; k < 32; ++k) {
    const std::uint32_t row = (a >> k & 1) << 2 | (b >> k & 1) << 1 | (c >> k & 1);
    result |= (table >> row & 1) << k;
  }
  return result;
}
/// Four bytes chosen from the eight of (b, a); bit 3 of a choice repeats the byte's sign.
inline std::uint32_t permuted(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
  const std::uint64_t both = std::uint64_t{b} << 32 | a;
  std::uint32_t result = 0;
  for (int k = 0; k < 4; ++k) {
    const std::uint32_t choice = selector >> 4 * k & 15;
    std::uint32_t byte = static_cast<std::uint32_t>(both >> 8 * (choice & 7)) & 255;
    if (choice & 8) byte = byte & 128 ? 255 : 0;
    result |= byte << 8 * k;
  }
  return result;
}

// floating point

inline float fused(float a, float b, float c) {
  return std::fmaf(a, b, c);
}
inline double fused(double a, double b, double c) {
  return std::fma(a, b, c);
}

/// Of a float that is integral: what is beyond the range is its end, NaN is 0.
template <class To, class From>
To to_integer(From x) {
  if (x != x) return 0;
  if (x >= static_cast<From>(std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
  if (x <= static_cast<From>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
  return static_cast<To>(x);
}

inline float flushed(float x) {
  return std::fabs(x) < std::numeric_limits<float>::min() ? std::copysign(0.f, x) : x;
}

/// The upper half of 1/x, of the upper half of x: what Newton's method of a division begins with.
inline double approximate_rcp(double x) {
  constexpr std::uint64_t kUpper = 0xFFFFFFFF00000000;
  const double upper = bits_as<double>(bits_as<std::uint64_t>(x) & kUpper);
  if (std::fabs(upper) < std::numeric_limits<double>::min())
    return std::copysign(std::numeric_limits<double>::infinity(), x);
  const double inverse = 1 / upper;
  if (std::fabs(inverse) < std::numeric_limits<double>::min()) return std::copysign(0., x);
  return bits_as<double>(bits_as<std::uint64_t>(inverse) & kUpper);
}
inline float approximate_rcp(float x) {
  return flushed(1 / flushed(x));
}
inline float approximate_ex2(float x) {
  return flushed(std::exp2(flushed(x)));
}

// atomics: what is there afterwards

template <class T>
T atomic_add(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a + b;
  else
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) +
                          static_cast<std::make_unsigned_t<T>>(b));
}
template <class T>
T atomic_min(T a, T b) {
  return least(a, b);
}
template <class T>
T atomic_max(T a, T b) {
  return greatest(a, b);
}
template <class T>
T atomic_inc(T a, T b) {
  return a >= b ? 0 : a + 1;
}
template <class T>
T atomic_dec(T a, T b) {
  return a == 0 || a > b ? b : a - 1;
}
template <class T>
T atomic_and(T a, T b) {
  return a & b;
}
template <class T>
T atomic_or(T a, T b) {
  return a | b;
}
template <class T>
T atomic_xor(T a, T b) {
  return a ^ b;
}
template <class T>
T atomic_exch(T, T b) {
  return b;
}
template <class T>
T atomic_cas(T a, T expected, T b) {
  return a == expected ? b : a;
}

}  // namespace heft::device_on_host
