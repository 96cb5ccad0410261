// A pack of doubles, one lane per body, on GCC's vector extension: the Scalar with which the charts
// of core/ run on the CPU, and the elementary functions that they need. Included once per
// instruction set and namespace.
#pragma once

#include <cmath>
#include <cstring>

#include "heft/core/platform.hpp"

namespace heft::charts::HEFT_CHARTS_TARGET {

typedef double LaneVector __attribute__((vector_size(HEFT_CHARTS_BYTES), may_alias));
typedef long long LaneIntegers __attribute__((vector_size(HEFT_CHARTS_BYTES), may_alias));

struct Lane {
  static constexpr int kLanes = HEFT_CHARTS_BYTES / sizeof(double);

  LaneVector v;
  Lane() = default;
  HEFT_HD Lane(const Lane& other) : v(other.v) {}
  HEFT_HD Lane& operator=(const Lane& other) {
    v = other.v;
    return *this;
  }
  HEFT_HD explicit Lane(LaneVector vector) : v(vector) {}
  HEFT_HD explicit Lane(double x) : v(x - LaneVector{}) {}
};

HEFT_HD Lane operator+(const Lane& a, const Lane& b) {
  return Lane(a.v + b.v);
}
HEFT_HD Lane operator-(const Lane& a, const Lane& b) {
  return Lane(a.v - b.v);
}
HEFT_HD Lane operator*(const Lane& a, const Lane& b) {
  return Lane(a.v * b.v);
}
HEFT_HD Lane operator/(const Lane& a, const Lane& b) {
  return Lane(a.v / b.v);
}
HEFT_HD Lane operator-(const Lane& a) {
  return Lane(-a.v);
}

HEFT_HD Lane if_negative(const Lane& x, const Lane& yes, const Lane& no) {
  return Lane(x.v < 0 ? yes.v : no.v);
}

inline Lane square_root(const Lane& x) {
  Lane root;
  for (int i = 0; i < Lane::kLanes; ++i) root.v[i] = std::sqrt(x.v[i]);
  return root;
}

inline Lane inverse_square_root(const Lane& x) {
  return Lane(1.0) / square_root(x);
}

HEFT_HD bool all_negative(const Lane& x) {
  bool all = true;
  for (int i = 0; i < Lane::kLanes; ++i) all = all && x.v[i] < 0;
  return all;
}

inline Lane logarithm(const Lane& x) {
  Lane result;
  for (int i = 0; i < Lane::kLanes; ++i) result.v[i] = std::log(x.v[i]);
  return result;
}

/// Returns e^x to about one unit in the last place: x = n log 2 + r, |r| <= log(2) / 2, with the
/// Taylor series of e^r, whose first omitted term is below 5e-18. Infinite on overflow; 0 below the
/// smallest normal number.
HEFT_HD Lane exponential(const Lane& x) {
  constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to an integer
  constexpr double kLogTwo[2] = {6.93147180369123816490e-01, 1.90821492927058770002e-10};
  constexpr double kLargest = 709.782712893383973, kSmallest = -708.396418532264106;
  LaneVector bounded = x.v > kLargest ? kLargest - LaneVector{} : x.v;
  bounded = bounded < kSmallest ? kSmallest - LaneVector{} : bounded;
  const LaneVector shifted = bounded * 1.44269504088896340736 + kRound;
  const LaneVector n = shifted - kRound;
  const LaneVector r = (bounded - n * kLogTwo[0]) - n * kLogTwo[1];
  LaneVector series = 1.0 / 6227020800.0 - LaneVector{};
  constexpr double kInverseFactorials[] = {1.0 / 479001600,
                                           1.0 / 39916800,
                                           1.0 / 3628800,
                                           1.0 / 362880,
                                           1.0 / 40320,
                                           1.0 / 5040,
                                           1.0 / 720,
                                           1.0 / 120,
                                           1.0 / 24,
                                           1.0 / 6,
                                           1.0 / 2,
                                           1.0,
                                           1.0};
#pragma GCC unroll 16
  for (const double c : kInverseFactorials) series = series * r + c;
  // 2^n in two factors, since n may be 1024; the bits of `shifted` end in n
  const LaneIntegers power = (LaneIntegers)shifted - (LaneIntegers)(kRound - LaneVector{});
  const LaneIntegers half = power >> 1;
  LaneVector result =
      series * (LaneVector)((half + 1023) << 52) * (LaneVector)((power - half + 1023) << 52);
  result = x.v > kLargest ? HUGE_VAL - LaneVector{} : result;
  result = x.v < kSmallest ? LaneVector{} : result;
  return Lane(x.v != x.v ? x.v : result);
}

}  // namespace heft::charts::HEFT_CHARTS_TARGET
