// Projection of one sample's rows onto the null space of unknown wrenches, one sample per Scalar.
//
//   tau = Y x - J'f,  f unknown:   rows are weighted by 1/s_c, then
//   N (tau - Y x) / s = 0,         N = 1 - Q Q',  Q an orthonormal basis of the columns of J'/s
//
// With known s, least squares on N rows is least squares on x and f together [Golub and Pereyra
// 1973]. A channel whose torque is unknown has s = infinity: its row of J'/s is zero, and so must
// be its row of the measurements.
//
//   Directions   gives references: d(c, k) is entry c of direction k
//   Values       gives references: v(c) is the entry of channel c; Scalar may be a pack of values
// Threads: stateless; safe to call from several threads.
#pragma once

#include "heft/core/scalar.hpp"

namespace heft::core {

/// Directions whose part outside the span of those before them is below this share of their length
/// are dependent: rounding decides their sign.
inline constexpr double kDependentDirection = 1e-9;

template <class Scalar, class Directions>
HEFT_HD Scalar dot_of_directions(const Directions& d, int num_channels, int j, int k) {
  Scalar sum(0);
  for (int c = 0; c < num_channels; ++c) sum += d(c, j) * d(c, k);
  return sum;
}

/// Replaces directions by an orthonormal basis of their span: modified Gram-Schmidt, each direction
/// twice [Giraud et al. 2005]. Dependent directions become zero. Returns the number of others.
template <class Scalar, class Directions>
HEFT_HD Scalar orthonormalize(const Directions& d, int num_channels, int num_directions) {
  Scalar rank(0);
  for (int k = 0; k < num_directions; ++k) {
    const Scalar before = square_root(dot_of_directions<Scalar>(d, num_channels, k, k));
    for (int pass = 0; pass < 2; ++pass)
      for (int j = 0; j < k; ++j) {
        const Scalar share = dot_of_directions<Scalar>(d, num_channels, j, k);
        for (int c = 0; c < num_channels; ++c) d(c, k) -= share * d(c, j);
      }
    const Scalar after = square_root(dot_of_directions<Scalar>(d, num_channels, k, k));
    const Scalar excess = Scalar(kDependentDirection) * before - after;  // negative: independent
    const Scalar factor = if_negative(excess, Scalar(1) / after, Scalar(0));
    for (int c = 0; c < num_channels; ++c) d(c, k) *= factor;
    rank += if_negative(excess, Scalar(1), Scalar(0));
  }
  return rank;
}

/// Computes v -= Q (Q'v) for an orthonormal basis Q.
template <class Scalar, class Directions, class Values>
HEFT_HD void remove_directions(const Directions& d, int num_channels, int num_directions,
                               const Values& v) {
  for (int k = 0; k < num_directions; ++k) {
    Scalar share = d(0, k) * v(0);
    for (int c = 1; c < num_channels; ++c) share += d(c, k) * v(c);
    for (int c = 0; c < num_channels; ++c) v(c) -= share * d(c, k);
  }
}

}  // namespace heft::core
