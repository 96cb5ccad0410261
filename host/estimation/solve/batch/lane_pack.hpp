// A pack of doubles on GCC's vector extension: the Scalar with which core/ runs here. Included once
// per instruction set; the including file defines HEFT_SOLVE_TARGET (namespace), HEFT_SOLVE_LANES
// and HEFT_SOLVE_TILE (register tile of packs).
#pragma once

#include <cmath>

#include "heft/core/platform.hpp"

namespace heft::solver::HEFT_SOLVE_TARGET {

constexpr int kPack = HEFT_SOLVE_LANES;

typedef double Vector __attribute__((vector_size(8 * HEFT_SOLVE_LANES)));
typedef long long Integers __attribute__((vector_size(8 * HEFT_SOLVE_LANES)));
typedef unsigned long long Bits __attribute__((vector_size(8 * HEFT_SOLVE_LANES)));

struct alignas(8 * HEFT_SOLVE_LANES) Pack {
  Vector v;
  Pack() = default;
  HEFT_HD explicit Pack(Vector vector) : v(vector) {}
  HEFT_HD explicit Pack(double x) : v(Vector{} + x) {}
};

HEFT_HD Pack operator+(Pack a, Pack b) {
  return Pack(a.v + b.v);
}
HEFT_HD Pack operator-(Pack a, Pack b) {
  return Pack(a.v - b.v);
}
HEFT_HD Pack operator*(Pack a, Pack b) {
  return Pack(a.v * b.v);
}
HEFT_HD Pack operator*(double a, Pack b) {
  return Pack(a * b.v);
}
HEFT_HD Pack operator*(Pack a, double b) {
  return Pack(a.v * b);
}
HEFT_HD Pack operator/(Pack a, Pack b) {
  return Pack(a.v / b.v);
}
HEFT_HD Pack operator-(Pack a) {
  return Pack(-a.v);
}
HEFT_HD Pack& operator+=(Pack& a, Pack b) {
  a.v += b.v;
  return a;
}
HEFT_HD Pack& operator-=(Pack& a, Pack b) {
  a.v -= b.v;
  return a;
}
HEFT_HD Pack& operator*=(Pack& a, Pack b) {
  a.v *= b.v;
  return a;
}

HEFT_HD Pack if_negative(Pack x, Pack yes, Pack no) {
  return Pack(x.v < 0 ? yes.v : no.v);
}
/// The same as in core/, in one instruction.
HEFT_HD Pack maximum(Pack a, Pack b) {
  return Pack(a.v > b.v ? a.v : b.v);
}
HEFT_HD bool all_negative(Pack x) {
  const Integers negative = x.v < 0;
  bool all = true;
  for (int l = 0; l < kPack; ++l) all = all && negative[l];
  return all;
}
/// 1 / sqrt(x) to two units in the last place, NaN unless x > 0; avoids the slow divider: halving
/// the exponent in the bit pattern is accurate to 4 %, and two fourth-order steps do the rest.
HEFT_HD Pack inverse_square_root(Pack x) {
  constexpr unsigned long long kMagic = 0x5fe6eb50c7b537a9;
  Vector y = (Vector)(kMagic - ((Bits)x.v >> 1));
  for (int step = 0; step < 2; ++step) {
    const Vector error = 1.0 - x.v * y * y;
    y += y * error * (0.5 + error * (0.375 + error * 0.3125));
  }
  return Pack(x.v > 0 ? y : __builtin_nan("") - Vector{});
}

// extracts one problem's number from all lanes; a single problem has one lane
HEFT_HD double lane(const Pack& x, int l) {
  return x.v[l];
}
HEFT_HD double lane(double x, int) {
  return x;
}
HEFT_HD void set_lane(Pack& x, int l, double value) {
  x.v[l] = value;
}
HEFT_HD void set_lane(double& x, int, double value) {
  x = value;
}

/// Returns the sum over the numbers of a pack.
HEFT_HD double sum(const Pack& x) {
  double total = 0;
  for (int l = 0; l < kPack; ++l) total += x.v[l];
  return total;
}

}  // namespace heft::solver::HEFT_SOLVE_TARGET
