// Ball arithmetic in time: values that vary within an interval of time, and enclosures of them.
// With these scalars, core/ returns enclosures of its results at all times of the interval
// (FORMULAS 9, torque between samples).
//
// A ball (m, r) contains all numbers from m - r to m + r. Radii are not rounded upward: rounding
// errors, about 1e-16 relative, are far below the margin added to bounds computed from balls.
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

/// Function of time, as enclosures of its value and first two derivatives over an interval.
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

/// Returns g(f), given enclosures of g, g' and g'' over the values of f.
inline BallJet chain(const BallJet& f, const Ball& g, const Ball& dg, const Ball& ddg) {
  return {g, dg * f.first, ddg * (f.first * f.first) + dg * f.second};
}

// scalar interface required by core/scalar.hpp

inline void sin_cos(const BallJet& x, BallJet& sine, BallJet& cosine) {
  // sine and cosine change no faster than the angle
  const double radius = std::min(x.value.r, 2.0);
  const Ball s{std::sin(x.value.m), radius}, c{std::cos(x.value.m), radius};
  sine = chain(x, s, c, -1.0 * s);
  cosine = chain(x, c, -1.0 * s, -1.0 * c);
}

inline BallJet fused_multiply_add(const BallJet& a, const BallJet& b, const BallJet& c) {
  return a * b + c;
}

inline BallJet hyperbolic_tangent(const BallJet& x) {
  // tanh' = 1 - tanh^2 and tanh'' = -2 tanh tanh', bounded from the end values because tanh
  // increases
  const double low = std::tanh(x.value.m - x.value.r), high = std::tanh(x.value.m + x.value.r);
  const Ball t{0.5 * (low + high), 0.5 * (high - low)};
  const double steepest = low * high <= 0 ? 1 : 1 - std::min(low * low, high * high),
               flattest = 1 - std::max(low * low, high * high);
  const Ball slope{0.5 * (steepest + flattest), 0.5 * (steepest - flattest)};
  return chain(x, t, slope, -2.0 * (t * slope));
}

/// Where the sign may change, including at an end, the derivative has no bound. Values slower than
/// `kStill` are zero up to rounding.
inline BallJet sign(const BallJet& x) {
  constexpr double kStill = 1e-9;  // [rad/s], [m/s]
  if (std::abs(x.value.m) > x.value.r + kStill) return BallJet(x.value.m > 0 ? 1 : -1);
  return {{0, 1}, {0, HUGE_VAL}, {0, HUGE_VAL}};
}

}  // namespace heft::excite
