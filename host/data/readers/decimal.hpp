// Parses plain decimals such as -12.3456789 with a known end, without branching on their digits.
//
// Loads the text as sixteen characters, removes the point, and converts each half to a number with
// three multiplications (Lemire 2021, "Number parsing at a gigabyte per second", based on
// fast_float's eight digits). Integers of up to 15 digits and powers of ten up to 10^15 are exact
// doubles, so their quotient is the double nearest to the decimal (Clinger 1990).
#pragma once

#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>

#include <array>
#include <bit>
#endif

namespace heft {

/// Number of characters before and after a plain decimal that must be readable.
inline constexpr int kDecimalMargin = 16;

#ifdef __SSE2__

namespace decimal {

inline constexpr int kWidth = 16;  ///< characters; the last one is the end of the decimal

struct alignas(16) Mask {
  std::array<std::uint8_t, kWidth> bytes = {};
};

/// Masks by a position from 0 to 16: the characters from it on, those after it, and those up to it
/// except the first.
struct Masks {
  std::array<Mask, kWidth + 1> from, behind, up_to;

  constexpr Masks() {
    for (int place = 0; place <= kWidth; ++place)
      for (int k = 0; k < kWidth; ++k) {
        from[place].bytes[k] = k >= place ? 0xff : 0;
        behind[place].bytes[k] = place == kWidth || k > place ? 0xff : 0;  // 16: no point
        up_to[place].bytes[k] = place < kWidth && k <= place ? 0xff : 0;
      }
  }
};

inline constexpr Masks kMasks;

/// Divisor for each position of the point; 16: none.
inline constexpr std::array<double, kWidth + 1> kDivisors = {
    1e15, 1e14, 1e13, 1e12, 1e11, 1e10, 1e9, 1e8, 1e7, 1e6, 1e5, 1e4, 1e3, 1e2, 1e1, 1e0, 1e0};

inline __m128i masked(__m128i text, const Mask& mask) {
  return _mm_and_si128(text, _mm_load_si128(reinterpret_cast<const __m128i*>(mask.bytes.data())));
}

/// Returns the number whose digits, 0 to 9, are the bytes, lowest byte first.
inline std::uint64_t eight_digits(std::uint64_t digits) {
  digits = digits * 10 + (digits >> 8);
  return ((digits & 0x000000FF000000FF) * 0x000F424000000064 +
          (digits >> 16 & 0x000000FF000000FF) * 0x0000271000000001) >>
         32;
}

}  // namespace decimal

/// Sets `value` to the double nearest to the text [begin, end): a sign, then 1 to 15 digits with an
/// optional point. Returns false for any other text and leaves `value` unchanged.
inline bool parse_plain_decimal(const char* begin, const char* end, double& value) {
  using namespace decimal;
  const bool is_negative = *begin == '-';
  begin += is_negative;
  const auto length = static_cast<unsigned>(end - begin);
  if (length - 1 >= kWidth) return false;

  // '0' .. '9' become 0 .. 9, characters before the text 0, and the point a value that no other
  // character gets
  const __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(end - kWidth));
  const __m128i values =
      masked(_mm_xor_si128(text, _mm_set1_epi8('0')), kMasks.from[kWidth - length]);
  const int points = _mm_movemask_epi8(_mm_cmpeq_epi8(values, _mm_set1_epi8('.' ^ '0')));
  const int place = std::countr_zero(static_cast<unsigned>(points | 1 << kWidth));
  // move the digits before the point next to those after it
  const __m128i digits = _mm_or_si128(masked(values, kMasks.behind[place]),
                                      masked(_mm_slli_si128(values, 1), kMasks.up_to[place]));
  const __m128i nine = _mm_set1_epi8(9);
  const bool are_digits =
      _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_max_epu8(digits, nine), nine)) == 0xffff;
  const bool has_point = place < kWidth;
  if (!are_digits || length == (has_point ? 1 : kWidth)) return false;

  const auto leading = eight_digits(static_cast<std::uint64_t>(_mm_cvtsi128_si64(digits)));
  const auto trailing = eight_digits(
      static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_unpackhi_epi64(digits, digits))));
  const double number =
      static_cast<double>(static_cast<std::int64_t>(leading * 100'000'000 + trailing)) /
      kDivisors[place];
  value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(number) | std::uint64_t{is_negative}
                                                                           << 63);
  return true;
}

#else

/// Fallback for platforms that cannot load sixteen characters at once: rejects all decimals.
inline bool parse_plain_decimal(const char*, const char*, double&) {
  return false;
}

#endif

}  // namespace heft
