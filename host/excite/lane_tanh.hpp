// The hyperbolic tangent of all lanes, for the rows of motions: friction smooth in the velocity, at every sample of every joint.
// Included once per instruction set and namespace, after executor/pack.hpp.
//
//   tanh x = sign(x) (1 - e) / (1 + e),   e = exp(-2 |x|) = 2^n exp r,   |r| <= log(2) / 2
//
// to 2e-16 of one, zero at zero.
#pragma once

#include "executor/pack_functions.hpp"

namespace heft::excite::HEFT_CPU_TARGET {

inline cpu::HEFT_CPU_TARGET::Pack<double> smooth_sign(const cpu::HEFT_CPU_TARGET::Pack<double>& x) {
  using P = cpu::HEFT_CPU_TARGET::Pack<double>;
  using Vector = P::Vector;
  using IntVector = P::IntVector;
  constexpr double kMost = 20;                   // whose tangent is one
  constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52 rounds to integers, which stay in its last bits
  constexpr double kLog2e = 1.44269504088896340736, kLog2High = 6.93147180369123816490e-01,
                   kLog2Low = 1.90821492927058770002e-10;
  // 1 / k!, from the highest power of r down
  static constexpr double kExponential[] = {
      1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
      1.0 / 720,        1.0 / 120,       1.0 / 24,       1.0 / 6,       0.5,          1,           1};
  const Vector zero{};
  const Vector size = x.v < zero ? -x.v : x.v;
  const Vector y = -2 * (size < kMost - zero ? size : kMost - zero);
  const Vector shifted = y * kLog2e + kRound;
  const Vector n = shifted - kRound;
  const Vector r = (y - n * kLog2High) - n * kLog2Low;
  const Vector power = (Vector)(((IntVector)shifted + 1023) << 52);
  const Vector e = power * cpu::HEFT_CPU_TARGET::polynomial(r, kExponential);
  const Vector tangent = (1 - e) / (1 + e);
  return P(x.v < zero ? -tangent : tangent);
}

}  // namespace heft::excite::HEFT_CPU_TARGET
