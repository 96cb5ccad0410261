// A pack of numbers, one lane per sample, based on GCC's vector extension: the Scalar with which
// core/ runs on the CPU. Included once per instruction set and namespace.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#include "heft/core/platform.hpp"

namespace heft::cpu::HEFT_CPU_TARGET {

constexpr int kPackBytes = HEFT_CPU_PACK_BYTES;

/// The vector types of a pack of floating-point numbers: the pack, integers of equal size.
template <class Real>
struct PackVectors;

template <>
struct PackVectors<double> {
  typedef double Vector __attribute__((vector_size(kPackBytes), may_alias));
  typedef long long IntVector __attribute__((vector_size(kPackBytes), may_alias));
};

template <>
struct PackVectors<float> {
  typedef float Vector __attribute__((vector_size(kPackBytes), may_alias));
  typedef int IntVector __attribute__((vector_size(kPackBytes), may_alias));
};

/// A pack of floating-point numbers.
template <class Real>
struct Pack {
  static constexpr int kLanes = kPackBytes / sizeof(Real);
  using Vector = typename PackVectors<Real>::Vector;
  using IntVector = typename PackVectors<Real>::IntVector;

  Vector v;
  Pack() = default;
  // Explicit because implicit copies of GCC 12 go through memory. A pack is therefore not trivially
  // copyable: copy bytes through v.
  HEFT_HD Pack(const Pack& other) : v(other.v) {}
  HEFT_HD Pack& operator=(const Pack& other) {
    v = other.v;
    return *this;
  }
  HEFT_HD explicit Pack(Vector vector) : v(vector) {}
  /// Sets all lanes to x. x - 0 equals x for every x, unlike x + 0, so the compiler removes the
  /// operation.
  HEFT_HD explicit Pack(double x) : v(static_cast<Real>(x) - Vector{}) {}
};

/// Loads consecutive numbers from any address.
HEFT_HD Pack<double> load(const double* at) {
  Pack<double> pack;
  std::memcpy(&pack.v, at, sizeof pack.v);
  return pack;
}
/// Stores a pack at any address.
HEFT_HD void store(const Pack<double>& pack, double* at) {
  std::memcpy(at, &pack.v, sizeof pack.v);
}

template <class Half, std::size_t... kLane>
HEFT_HD auto joined(const Half& low, const Half& high, std::index_sequence<kLane...>) {
  return __builtin_shufflevector(low, high, int(kLane)...);
}

/// Consecutive doubles, at any address, rounded. Floats are converted a register at a time: GCC 12
/// takes wider vectors through memory.
template <class Real>
HEFT_HD Pack<Real> pack_of(const double* at) {
  if constexpr (sizeof(Real) == sizeof(double)) {
    return load(at);
  } else {
    constexpr int kLanes = Pack<Real>::kLanes;
    typedef Real Half __attribute__((vector_size(kPackBytes / 2), may_alias));
    const auto low = load(at), high = load(at + kLanes / 2);
    return Pack<Real>(joined(__builtin_convertvector(low.v, Half),
                             __builtin_convertvector(high.v, Half),
                             std::make_index_sequence<kLanes>()));
  }
}

template <class Real>
HEFT_HD Pack<Real> operator+(const Pack<Real>& a, const Pack<Real>& b) {
  return Pack<Real>(a.v + b.v);
}
template <class Real>
HEFT_HD Pack<Real> operator-(const Pack<Real>& a, const Pack<Real>& b) {
  return Pack<Real>(a.v - b.v);
}
template <class Real>
HEFT_HD Pack<Real> operator*(const Pack<Real>& a, const Pack<Real>& b) {
  return Pack<Real>(a.v * b.v);
}
template <class Real>
HEFT_HD Pack<Real> operator-(const Pack<Real>& a) {
  return Pack<Real>(-a.v);
}

/// Takes lane i from `a` where bit kDistance of i is clear, and from `b` where it is set.
template <int kDistance, class Real, std::size_t... kLane>
HEFT_HD auto alternated(const Pack<Real>& a, const Pack<Real>& b, std::index_sequence<kLane...>) {
  return __builtin_shufflevector(
      a.v, b.v, (kLane & kDistance ? Pack<Real>::kLanes + int(kLane) : int(kLane))...);
}

/// Does the same with lanes i and i ^ kDistance exchanged in both.
template <int kDistance, class Real, std::size_t... kLane>
HEFT_HD auto alternated_exchanged(const Pack<Real>& a, const Pack<Real>& b,
                                  std::index_sequence<kLane...>) {
  return __builtin_shufflevector(
      a.v, b.v, ((kLane & kDistance ? Pack<Real>::kLanes : 0) + (int(kLane) ^ kDistance))...);
}

/// Returns the sums over lanes: lane i is the sum of all lanes of packs[i], for the first kCount <=
/// kLanes packs, which are overwritten. Folds halves onto each other, two packs at a time.
template <int kCount, int kDistance, class Real>
HEFT_HD Pack<Real> sums_of_lanes(Pack<Real>* packs) {
  constexpr auto kLane = std::make_index_sequence<Pack<Real>::kLanes>();
  constexpr int kPairs = kCount > kDistance ? kCount - kDistance : 0;
  constexpr int kLeft = kCount < kDistance ? kCount : kDistance;
#pragma GCC unroll 16
  for (int i = 0; i < kLeft; ++i) {
    const Pack<Real>& partner = i < kPairs ? packs[i + kDistance] : packs[i];
    packs[i].v = alternated<kDistance>(packs[i], partner, kLane) +
                 alternated_exchanged<kDistance>(packs[i], partner, kLane);
  }
  if constexpr (kDistance == 1)
    return packs[0];
  else
    return sums_of_lanes<kLeft, kDistance / 2>(packs);
}

}  // namespace heft::cpu::HEFT_CPU_TARGET
