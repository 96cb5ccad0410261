#include "checksum.hpp"

#include <zlib.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace heft::bags {

namespace {

std::uint32_t checksum_of_zlib(std::uint32_t before, const char* bytes, std::size_t size) {
  return static_cast<std::uint32_t>(crc32_z(before, reinterpret_cast<const Bytef*>(bytes), size));
}

#if defined(__x86_64__)

// Carry-less multiplication folds 64 bytes at a time onto the remainder. Source: V. Gopal et al.,
// "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ", Intel 2009. The constants are
// powers of x modulo the polynomial, with their bits reversed.
constexpr std::size_t kFolded = 64, kWord = 16;  ///< [byte]

__attribute__((target("pclmul,sse4.1"))) __m128i words_at(const char* bytes) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
}

__attribute__((target("pclmul,sse4.1"))) __m128i folded(__m128i value, __m128i powers,
                                                        __m128i next) {
  return _mm_xor_si128(_mm_xor_si128(_mm_clmulepi64_si128(value, powers, 0x00),
                                     _mm_clmulepi64_si128(value, powers, 0x11)),
                       next);
}

// Reduces 128 bits to 32: by 64, by 32, then Barrett's method.
__attribute__((target("pclmul,sse4.1"))) std::uint32_t reduced(__m128i value, __m128i powers) {
  const __m128i low = _mm_setr_epi32(~0, 0, ~0, 0);
  const __m128i by_32 = _mm_set_epi64x(0, 0x0163cd6124);
  const __m128i polynomial = _mm_set_epi64x(0x01f7011641, 0x01db710641);
  value = _mm_xor_si128(_mm_srli_si128(value, 8), _mm_clmulepi64_si128(value, powers, 0x10));
  value = _mm_xor_si128(_mm_srli_si128(value, 4),
                        _mm_clmulepi64_si128(_mm_and_si128(value, low), by_32, 0x00));
  __m128i quotient = _mm_clmulepi64_si128(_mm_and_si128(value, low), polynomial, 0x10);
  quotient = _mm_clmulepi64_si128(_mm_and_si128(quotient, low), polynomial, 0x00);
  return static_cast<std::uint32_t>(_mm_extract_epi32(_mm_xor_si128(value, quotient), 1));
}

/// `size`: a multiple of kWord, at least kFolded.
__attribute__((target("pclmul,sse4.1"))) std::uint32_t checksum_of_words(const char* bytes,
                                                                         std::size_t size) {
  const __m128i by_512 = _mm_set_epi64x(0x01c6e41596, 0x0154442bd4);
  const __m128i by_128 = _mm_set_epi64x(0x00ccaa009e, 0x01751997d0);
  __m128i sums[kFolded / kWord];
  for (std::size_t k = 0; k < kFolded / kWord; ++k) sums[k] = words_at(bytes + k * kWord);
  sums[0] = _mm_xor_si128(sums[0], _mm_cvtsi32_si128(~0));
  std::size_t at = kFolded;
  for (; size - at >= kFolded; at += kFolded)
    for (std::size_t k = 0; k < kFolded / kWord; ++k)
      sums[k] = folded(sums[k], by_512, words_at(bytes + at + k * kWord));
  __m128i sum = sums[0];
  for (std::size_t k = 1; k < kFolded / kWord; ++k) sum = folded(sum, by_128, sums[k]);
  for (; at < size; at += kWord) sum = folded(sum, by_128, words_at(bytes + at));
  return ~reduced(sum, by_128);
}

#endif

}  // namespace

std::uint32_t checksum(const char* bytes, std::size_t size) {
#if defined(__x86_64__)
  static const bool has_instructions =
      __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
  if (has_instructions && size >= kFolded) {
    const std::size_t words = size / kWord * kWord;
    return checksum_of_zlib(checksum_of_words(bytes, words), bytes + words, size - words);
  }
#endif
  return checksum_of_zlib(0, bytes, size);
}

}  // namespace heft::bags
