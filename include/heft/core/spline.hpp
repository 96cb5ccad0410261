// One interval of a uniform B-spline of degree five (heft/model/generated_motion.hpp), u in [0, 1]
// from its first knot to the next, c_0 .. c_5 its control points:
//
//   q   = sum_r B5_r c_r
//   q'  = sum_r B4_r (c_{r+1} - c_r)                        derivatives by u
//   q'' = sum_r B3_r (c_{r+2} - 2 c_{r+1} + c_r)
//
// The basis polynomials of degree p follow from those of degree p - 1 (Cox and de Boor's recursion,
// [de Boor 1978], for knots one apart); on the interval no term is negative, so that nothing
// cancels:
//
//   p Bp_r = (u + p - r) B(p-1)_{r-1} + (r + 1 - u) B(p-1)_r,   B0_0 = 1
// Threads: stateless; safe to call from several threads.
#pragma once

#include "heft/core/motion_view.hpp"
#include "heft/core/platform.hpp"

namespace heft::core {

/// The basis polynomials of one degree at u, from those of the next lower degree.
template <int kDegree, class Scalar>
HEFT_HD void raise_degree(const Scalar& u, const Scalar (&lower)[kDegree],
                          Scalar (&basis)[kDegree + 1]) {
  const Scalar share(1.0 / kDegree);
  basis[0] = share * (Scalar(1) - u) * lower[0];
  for (int r = 1; r < kDegree; ++r)
    basis[r] = share * ((u + Scalar(kDegree - r)) * lower[r - 1] + (Scalar(r + 1) - u) * lower[r]);
  basis[kDegree] = share * u * lower[kDegree - 1];
}

/// Basis polynomials at one u, for the splines of all coordinates.
template <class Scalar>
struct SplineBasis {
  Scalar acceleration[kSplineDegree - 1];  ///< B3
  Scalar velocity[kSplineDegree];          ///< B4
  Scalar position[kSplineDegree + 1];      ///< B5

  HEFT_HD explicit SplineBasis(const Scalar& u) {
    const Scalar constant[] = {Scalar(1)};
    Scalar linear[2], quadratic[3];
    raise_degree<1>(u, constant, linear);
    raise_degree<2>(u, linear, quadratic);
    raise_degree<3>(u, quadratic, acceleration);
    raise_degree<4>(u, acceleration, velocity);
    raise_degree<5>(u, velocity, position);
  }
};

/// q and its derivatives with respect to u.
template <class Scalar>
struct SplinePoint {
  Scalar position, velocity, acceleration;
};

template <int kSize, class Scalar>
HEFT_HD void put_differences(const Scalar (&values)[kSize + 1], Scalar (&differences)[kSize]) {
  for (int r = 0; r < kSize; ++r) differences[r] = values[r + 1] - values[r];
}

template <int kSize, class Scalar>
HEFT_HD Scalar sum_of_products(const Scalar (&a)[kSize], const Scalar (&b)[kSize]) {
  Scalar sum = a[0] * b[0];
  for (int r = 1; r < kSize; ++r) sum = sum + a[r] * b[r];
  return sum;
}

template <class Scalar>
HEFT_HD SplinePoint<Scalar> spline_point(const SplineBasis<Scalar>& basis,
                                         const Scalar (&control)[kSplineDegree + 1]) {
  Scalar first[kSplineDegree], second[kSplineDegree - 1];
  put_differences<kSplineDegree>(control, first);
  put_differences<kSplineDegree - 1>(first, second);
  return {sum_of_products(basis.position, control), sum_of_products(basis.velocity, first),
          sum_of_products(basis.acceleration, second)};
}

/// Position of a time on a spline.
struct SplinePlace {
  int interval;
  double u;
};

/// Times before or after the spline belong to its first or last interval.
HEFT_HD SplinePlace spline_place(const SplineView& spline, double time) {
  const double knots = time * spline.rate, last = spline.num_intervals - 1;
  const int interval = static_cast<int>(knots > 0 ? (knots < last ? knots : last) : 0);
  return {interval, knots - interval};
}

}  // namespace heft::core
