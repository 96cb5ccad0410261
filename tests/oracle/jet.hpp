// Jets: polynomials c[e][i] eps^e t^i truncated after t^2 and eps^1. Arithmetic on them is exact
// differentiation to second order in time and to first order in a variation eps of the path,
// without a step size: the coefficients of f(x) follow from the chain rule.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cmath>

#include "tests/oracle/motion.hpp"

namespace heft::oracle {

struct Jet {
  std::array<std::array<Real, 3>, 2> c{};  ///< c[power of eps][power of t]

  Jet() = default;
  Jet(Real constant) {
    c[0][0] = constant;
  }  // NOLINT(google-explicit-constructor): numbers are jets

  /// eps^e t^i
  static Jet monomial(int e, int i) {
    Jet jet;
    jet.c[e][i] = 1;
    return jet;
  }

  Jet& operator+=(const Jet& b) {
    for (int e = 0; e < 2; ++e)
      for (int i = 0; i < 3; ++i) c[e][i] += b.c[e][i];
    return *this;
  }
  Jet& operator-=(const Jet& b) { return *this += -b; }
  Jet& operator*=(const Jet& b) { return *this = *this * b; }

  friend Jet operator-(Jet a) {
    for (auto& row : a.c)
      for (Real& x : row) x = -x;
    return a;
  }
  friend Jet operator+(Jet a, const Jet& b) { return a += b; }
  friend Jet operator-(Jet a, const Jet& b) { return a -= b; }
  friend Jet operator*(const Jet& a, const Jet& b) {
    Jet product;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; i + j < 3; ++j) {
        product.c[0][i + j] += a.c[0][i] * b.c[0][j];
        product.c[1][i + j] += a.c[0][i] * b.c[1][j] + a.c[1][i] * b.c[0][j];
      }
    return product;
  }
  friend bool operator==(const Jet& a, const Jet& b) { return a.c == b.c; }
};

/// Time derivative; what it has at t^2 is cut off (the jet does not know t^3).
inline Jet time_derivative(const Jet& a) {
  Jet derivative;
  for (int e = 0; e < 2; ++e) {
    derivative.c[e][0] = a.c[e][1];
    derivative.c[e][1] = 2 * a.c[e][2];
  }
  return derivative;
}

/// f(a) from the value and three derivatives of f at a's constant term: the rest d of a is
/// nilpotent, d^4 = 0.
inline Jet taylor(const Jet& a, Real f0, Real f1, Real f2, Real f3) {
  const Jet d = a - Jet(a.c[0][0]);
  return Jet(f0) + d * (Jet(f1) + d * (Jet(f2 / 2) + d * Jet(f3 / 6)));
}
inline Jet sin(const Jet& a) {
  const Real s = std::sin(a.c[0][0]), c = std::cos(a.c[0][0]);
  return taylor(a, s, c, -s, -c);
}
inline Jet cos(const Jet& a) {
  const Real s = std::sin(a.c[0][0]), c = std::cos(a.c[0][0]);
  return taylor(a, c, -s, -c, s);
}

using Vector3j = Eigen::Matrix<Jet, 3, 1>;
using Matrix3j = Eigen::Matrix<Jet, 3, 3>;

}  // namespace heft::oracle

/// Lets Eigen's small matrices hold jets.
template <>
struct Eigen::NumTraits<heft::oracle::Jet> : Eigen::NumTraits<long double> {
  using Real = heft::oracle::Jet;
  using NonInteger = heft::oracle::Jet;
  using Nested = heft::oracle::Jet;
  using Literal = heft::oracle::Jet;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 6,
    AddCost = 6,
    MulCost = 27
  };
};
