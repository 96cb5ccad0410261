// Numbers that move within an interval of time, and enclosures of them: what core/ computes with
// them instead of numbers is an enclosure of its result at all times of the interval (FORMULAS 9,
// torque between samples).
//
// A ball (m, r) holds every number from m - r to m + r. Radii are not rounded upward: what rounding
// loses, 1e-16 of a number and of what it was made of, is far less than what bounds that are made
// of them are widened by.
#pragma once

#include <algorithm>
#include <cmath>

namespace heft::excite {

struct Ball {
  double m = 0, r = 0;
};

inline Ball operator+(const Ball& a, const Ball& b) {
  return {a.m + b.m, a.r + b.r};
}
inline Ball operator-(const Ball& a, const Ball& b) {
  return {a.m - b.m, a.r + b.r};
}
inline Ball operator*(const Ball& a, const Ball& b) {
  return {a.m * b.m, std::abs(a.m) * b.r + a.r * (std::abs(b.m) + b.r)};
}
inline Ball operator*(double a, const Ball& b) {
  return {a * b.m, std::abs(a) * b.r};
}

/// A function of time by enclosures of itself and of its first two derivatives over an interval.
struct BallJet {
  Ball value, first, second;

  BallJet() = default;
  explicit BallJet(double constant) : value{constant, 0} {}
  BallJet(const Ball& f, const Ball& df, const Ball& ddf) : value(f), first(df), second(ddf) {}
};

inline BallJet operator+(const BallJet& a, const BallJet& b) {
  return {a.value + b.value, a.first + b.first, a.second + b.second};
}
inline BallJet operator-(const BallJet& a, const BallJet& b) {
  return {a.value - b.value, a.first - b.first, a.second - b.second};
}
inline BallJet operator-(const BallJet& a) {
  return {-1.0 * a.value, -1.0 * a.first, -1.0 * a.second};
}
inline BallJet operator*(const BallJet& a, const BallJet& b) {
  return {a.value * b.value, a.first * b.value + a.value * b.first,
          a.second * b.value + 2.0 * (a.first * b.first) + a.value * b.second};
}

/// g(f) from enclosures of g, g' and g'' over the values of f.
inline BallJet chain(const BallJet& f, const Ball& g, const Ball& dg, const Ball& ddg) {
  return {g, dg * f.first, ddg * (f.first * f.first) + dg * f.second};
}

// what core/scalar.hpp asks of a scalar

inline void sin_cos(const BallJet& x, BallJet& sine, BallJet& cosine) {
  // neither changes faster than its angle
  const double radius = std::min(x.value.r, 2.0);
  const Ball s{std::sin(x.value.m), radius}, c{std::cos(x.value.m), radius};
  sine = chain(x, s, c, -1.0 * s);
  cosine = chain(x, c, -1.0 * s, -1.0 * c);
}

inline BallJet fused_multiply_add(const BallJet& a, const BallJet& b, const BallJet& c) {
  return a * b + c;
}

inline BallJet hyperbolic_tangent(const BallJet& x) {
  // tanh' = 1 - tanh^2 and tanh'' = -2 tanh tanh', by the ends of tanh, which rises
  const double low = std::tanh(x.value.m - x.value.r), high = std::tanh(x.value.m + x.value.r);
  const Ball t{0.5 * (low + high), 0.5 * (high - low)};
  const double steepest = low * high <= 0 ? 1 : 1 - std::min(low * low, high * high),
               flattest = 1 - std::max(low * low, high * high);
  const Ball slope{0.5 * (steepest + flattest), 0.5 * (steepest - flattest)};
  return chain(x, t, slope, -2.0 * (t * slope));
}

/// Where the sign may change, at an end too, there is no derivative to bound. Slower than `kStill`
/// is zero but for rounding.
inline BallJet sign(const BallJet& x) {
  constexpr double kStill = 1e-9;  // [rad/s], [m/s]
  if (std::abs(x.value.m) > x.value.r + kStill) return BallJet(x.value.m > 0 ? 1 : -1);
  return {{0, 1}, {0, HUGE_VAL}, {0, HUGE_VAL}};
}

}  // namespace heft::excite
