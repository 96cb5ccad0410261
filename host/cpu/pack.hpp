// A pack of doubles, one lane a sample, on GCC's vector extension: the Scalar with which core/ runs on the
// CPU. Included by lane_kernels.hpp only, once per instruction set and namespace.
#pragma once

#include <cmath>

#include "heft/core/platform.hpp"

namespace heft::cpu::HEFT_CPU_TARGET {

typedef double Vector __attribute__((vector_size(8 * HEFT_CPU_LANES), may_alias));
typedef long long IntVector __attribute__((vector_size(8 * HEFT_CPU_LANES), may_alias));

struct Pack {
  Vector v;
  Pack() = default;
  HEFT_HD explicit Pack(Vector vector) : v(vector) {}
  HEFT_HD explicit Pack(double x) : v(Vector{} + x) {}
};

HEFT_HD Pack operator+(const Pack& a, const Pack& b) {
  return Pack(a.v + b.v);
}
HEFT_HD Pack operator-(const Pack& a, const Pack& b) {
  return Pack(a.v - b.v);
}
HEFT_HD Pack operator*(const Pack& a, const Pack& b) {
  return Pack(a.v * b.v);
}
HEFT_HD Pack operator-(const Pack& a) {
  return Pack(-a.v);
}

/// Sum of the lanes in a fixed order: halves onto each other.
inline double sum_of_lanes(const Pack& pack) {
  double lanes[HEFT_CPU_LANES];
  for (int i = 0; i < HEFT_CPU_LANES; ++i) lanes[i] = pack.v[i];
  for (int half = HEFT_CPU_LANES / 2; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  return lanes[0];
}

inline Pack sign(const Pack& x) {
  Pack result;
  for (int i = 0; i < HEFT_CPU_LANES; ++i) result.v[i] = (x.v[i] > 0) - (x.v[i] < 0);
  return result;
}

inline Pack hyperbolic_tangent(const Pack& x) {
  Pack result;
  for (int i = 0; i < HEFT_CPU_LANES; ++i) result.v[i] = ::tanh(x.v[i]);
  return result;
}

/// Sine and cosine of all lanes, to about one unit in the last place for |x| < 1e5 and by the C library
/// beyond. Reduction to |r| <= pi/4 by a three-part pi/2 (33 bits each, exact products), then the classic
/// minimax polynomials.
inline void sin_cos(const Pack& angle, Pack& sine, Pack& cosine) {
  const Vector x = angle.v;
  constexpr double kTwoOverPi = 0.63661977236758134308;
  constexpr double kHalfPi1 = 1.57079632673412561417e+00;
  constexpr double kHalfPi2 = 6.07710050630396597660e-11;
  constexpr double kHalfPi3 = 2.02226624879595063154e-21;
  // 1.5 * 2^52: adding it rounds to an integer held in the low bits
  constexpr double kRound = 6755399441055744.0;

  const Vector shifted = x * kTwoOverPi + kRound;
  const IntVector quadrant = (IntVector)shifted;
  const Vector n = shifted - kRound;
  const Vector r = ((x - n * kHalfPi1) - n * kHalfPi2) - n * kHalfPi3;
  const Vector z = r * r;
  const Vector s =
      r + r * z *
              (-1.66666666666666324348e-01 +
               z * (8.33333333332248946124e-03 +
                    z * (-1.98412698298579493134e-04 +
                         z * (2.75573137070700676789e-06 +
                              z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)))));
  const Vector c = 1.0 - 0.5 * z +
                   z * z *
                       (4.16666666666666019037e-02 +
                        z * (-1.38888888888741095749e-03 +
                             z * (2.48015872894767294178e-05 +
                                  z * (-2.75573143513906633035e-07 +
                                       z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))));
  const IntVector swapped = (quadrant & 1) != 0;
  const Vector sine_part = swapped ? c : s;
  const Vector cosine_part = swapped ? s : c;
  sine.v = (quadrant & 2) != 0 ? -sine_part : sine_part;
  cosine.v = ((quadrant + 1) & 2) != 0 ? -cosine_part : cosine_part;
  for (int i = 0; i < HEFT_CPU_LANES; ++i)
    if (!(x[i] < 1e5 && x[i] > -1e5)) {
      sine.v[i] = ::sin(x[i]);
      cosine.v[i] = ::cos(x[i]);
    }
}

}  // namespace heft::cpu::HEFT_CPU_TARGET
