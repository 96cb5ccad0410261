// The elementary functions that core/ needs, for packs.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "executor/pack.hpp"

namespace heft::cpu::HEFT_CPU_TARGET {

/// Returns the sign of every lane; 0 for 0.
template <class Real>
HEFT_HD Pack<Real> sign(const Pack<Real>& x) {
  using Vector = typename Pack<Real>::Vector;
  const Vector zero{}, one = Real(1) - zero;
  return Pack<Real>((x.v > zero ? one : zero) - (x.v < zero ? one : zero));
}

/// Returns a b + c, rounded once.
template <class Real>
HEFT_HD Pack<Real> fused_multiply_add(const Pack<Real>& a, const Pack<Real>& b,
                                      const Pack<Real>& c) {
  Pack<Real> result;
  for (int i = 0; i < Pack<Real>::kLanes; ++i) result.v[i] = std::fma(a.v[i], b.v[i], c.v[i]);
  return result;
}

/// Returns whether any lane of a comparison is true.
template <class IntVector>
HEFT_HD bool any(const IntVector& mask) {
#if defined(__x86_64__)
  // by the width of the pack: the build's global flags may allow more than this instruction set
  if constexpr (sizeof mask == 64) return _mm512_test_epi64_mask((__m512i)mask, (__m512i)mask) != 0;
  if constexpr (sizeof mask == 32) return _mm256_movemask_ps((__m256)mask) != 0;
  if constexpr (sizeof mask == 16) return _mm_movemask_epi8((__m128i)mask) != 0;
#endif
  bool found = false;
  for (std::size_t i = 0; i < sizeof mask / sizeof mask[0]; ++i) found |= mask[i] != 0;
  return found;
}

/// Whether all lanes of a comparison are true.
template <class IntVector>
HEFT_HD bool all(const IntVector& mask) {
#if defined(__x86_64__)
  if constexpr (sizeof mask == 32) return _mm256_movemask_ps((__m256)mask) == 0xff;
  if constexpr (sizeof mask == 16) return _mm_movemask_epi8((__m128i)mask) == 0xffff;
#endif
  return !any(~mask);
}

/// Constants of the sine and cosine: pi/2 in three parts whose products with small integers are
/// exact, the number that rounds to integers when it is added, the largest angle for which the
/// reduction is accurate, and the coefficients of the classic minimax polynomials on |r| <= pi/4,
/// from the highest power down.
template <class Real>
struct SineConstants;

template <>
struct SineConstants<double> {
  static constexpr double kHalfPi[3] = {1.57079632673412561417e+00, 6.07710050630396597660e-11,
                                        2.02226624879595063154e-21};
  static constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52
  static constexpr double kLargest = 1e5;
  static constexpr double kSine[] = {1.58969099521155010221e-10, -2.50507602534068634195e-08,
                                     2.75573137070700676789e-06, -1.98412698298579493134e-04,
                                     8.33333333332248946124e-03, -1.66666666666666324348e-01};
  static constexpr double kCosine[] = {-1.13596475577881948265e-11, 2.08757232129817482790e-09,
                                       -2.75573143513906633035e-07, 2.48015872894767294178e-05,
                                       -1.38888888888741095749e-03, 4.16666666666666019037e-02};
};

template <>
struct SineConstants<float> {
  static constexpr float kHalfPi[3] = {1.5703125f, 4.837512969970703125e-4f,
                                       7.54978995489188216e-8f};
  static constexpr float kRound = 12582912.0f;  // 1.5 * 2^23
  static constexpr float kLargest = 8000;
  static constexpr float kSine[] = {-1.9515295891e-4f, 8.3321608736e-3f, -1.6666654611e-1f};
  static constexpr float kCosine[] = {2.443315711809948e-5f, -1.388731625493765e-3f,
                                      4.166664568298827e-2f};
};

template <class Vector, class Real, std::size_t kSize>
HEFT_HD Vector polynomial(const Vector& z, const Real (&coefficients)[kSize]) {
  Vector value = coefficients[0] - Vector{};
#pragma GCC unroll 8
  for (std::size_t i = 1; i < kSize; ++i) value = value * z + coefficients[i];
  return value;
}

/// Returns tanh of every lane, by the C library.
inline Pack<float> hyperbolic_tangent(const Pack<float>& x) {
  Pack<float> result;
  for (int i = 0; i < Pack<float>::kLanes; ++i) result.v[i] = std::tanh(x.v[i]);
  return result;
}

/// Returns tanh of every lane, to about two units in the last place:
///
///   tanh x = -sign(x) E / (2 + E),   E = expm1(-2 |x|) = 2^n (exp(r) - 1) + (2^n - 1),
///                                    |r| <= log(2) / 2
inline Pack<double> hyperbolic_tangent(const Pack<double>& x) {
  using Vector = Pack<double>::Vector;
  using IntVector = Pack<double>::IntVector;
  constexpr double kMax = 20;                    // tanh is 1 beyond
  constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52 rounds to integers, which remain in
                                                 // the last bits
  constexpr double kLog2e = 1.44269504088896340736, kLog2High = 6.93147180369123816490e-01,
                   kLog2Low = 1.90821492927058770002e-10;
  // 1 / (k + 1)!, highest power of r first
  static constexpr double kExponential[] = {1.0 / 6227020800,
                                            1.0 / 479001600,
                                            1.0 / 39916800,
                                            1.0 / 3628800,
                                            1.0 / 362880,
                                            1.0 / 40320,
                                            1.0 / 5040,
                                            1.0 / 720,
                                            1.0 / 120,
                                            1.0 / 24,
                                            1.0 / 6,
                                            0.5,
                                            1};
  const Vector zero{};
  const Vector size = x.v < zero ? -x.v : x.v;
  const Vector y = -2 * (size > kMax - zero ? kMax - zero : size);  // NaN stays NaN
  const Vector shifted = y * kLog2e + kRound;
  const Vector n = shifted - kRound;
  const Vector r = (y - n * kLog2High) - n * kLog2Low;
  const Vector power = (Vector)(((IntVector)shifted + 1023) << 52);
  const Vector E = power * (r * polynomial(r, kExponential)) + (power - 1);
  const Vector tangent = E / (2 + E);
  return Pack<double>(x.v < zero ? tangent : -tangent);
}

/// The lanes of `angle` that are too large for the reduction, by the C library.
template <class Real>
__attribute__((noinline, cold)) void put_large_sines(const Pack<Real>& angle, Pack<Real>& sine,
                                                     Pack<Real>& cosine) {
  for (int i = 0; i < Pack<Real>::kLanes; ++i) {
    const Real x = angle.v[i];
    if (x < SineConstants<Real>::kLargest && x > -SineConstants<Real>::kLargest) continue;
    sine.v[i] = std::sin(x);
    cosine.v[i] = std::cos(x);
  }
}

/// Sine and cosine of all lanes, to about one unit in the last place up to the largest angle and by
/// the C library beyond. Source of reduction and polynomials: the Cephes library.
template <class Real>
HEFT_HD void sin_cos(const Pack<Real>& angle, Pack<Real>& sine, Pack<Real>& cosine) {
  using Vector = typename Pack<Real>::Vector;
  using IntVector = typename Pack<Real>::IntVector;
  using Constants = SineConstants<Real>;
  constexpr int kToSign = 8 * sizeof(Real) - 2;  // from bit 1
  const Vector x = angle.v;
  const Vector shifted = x * Real(0.63661977236758134308) + Constants::kRound;
  const IntVector quadrant = (IntVector)shifted;
  const Vector n = shifted - Constants::kRound;
  const Vector r =
      ((x - n * Constants::kHalfPi[0]) - n * Constants::kHalfPi[1]) - n * Constants::kHalfPi[2];
  const Vector z = r * r;
  const Vector s = r + r * z * polynomial(z, Constants::kSine);
  const Vector c = Real(1) - Real(0.5) * z + z * z * polynomial(z, Constants::kCosine);
  const IntVector swapped = (quadrant & 1) != 0;
  const Vector sine_part = swapped ? c : s;
  const Vector cosine_part = swapped ? s : c;
  sine.v = (Vector)((IntVector)sine_part ^ ((quadrant & 2) << kToSign));
  cosine.v = (Vector)((IntVector)cosine_part ^ (((quadrant + 1) & 2) << kToSign));
  const IntVector is_small = (x < Constants::kLargest) & (x > -Constants::kLargest);
  if (__builtin_expect(!all(is_small), 0)) put_large_sines(angle, sine, cosine);
}

}  // namespace heft::cpu::HEFT_CPU_TARGET
