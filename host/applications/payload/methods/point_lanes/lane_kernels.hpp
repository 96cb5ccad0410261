// The kernels of point_kernels.hpp on packs of points. The including file defines HEFT_CPU_TARGET
// and HEFT_CPU_PACK_BYTES.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "executor/pack.hpp"
#include "payload/point_kernels.hpp"

#define HEFT_LANE __attribute__((always_inline))

namespace heft::payload::HEFT_CPU_TARGET {

using P = cpu::HEFT_CPU_TARGET::Pack<double>;
using cpu::HEFT_CPU_TARGET::load;
using cpu::HEFT_CPU_TARGET::store;
using cpu::HEFT_CPU_TARGET::sums_of_lanes;

constexpr int kLanes = P::kLanes, kTen = 10;
static_assert(kMaxPointLanes % kLanes == 0 && kStride % kLanes == 0);

inline P positive(const P& x) {
  return P(x.v > 0.0 ? x.v : 0.0 * x.v);
}

/// f(0), f(1), .. with constant arguments, so that arrays indexed by them stay in registers.
template <int kCount, class Function>
HEFT_HD void each(const Function& f) {
  [&]<int... k>(std::integer_sequence<int, k...>) __attribute__((always_inline)) {
    (f(std::integral_constant<int, k>()), ...);
  }(std::make_integer_sequence<int, kCount>());
}

constexpr int whole_packs(int count) {
  return (count + kLanes - 1) / kLanes * kLanes;
}

/// Sums over the lanes of packs.
template <int kCount>
HEFT_HD void put_sums(const P (&packs)[kCount], double* sums) {
  P copies[whole_packs(kCount)];
  double found[whole_packs(kCount)];
  each<whole_packs(kCount)>([&](auto k) HEFT_LANE {
    if constexpr (k < kCount)
      copies[k].v = packs[k].v;
    else
      copies[k].v = P::Vector{};
  });
  for (int k = 0; k < whole_packs(kCount); k += kLanes)
    store(sums_of_lanes<kLanes, kLanes / 2>(copies + k), found + k);
  std::copy_n(found, kCount, sums);
}

inline double pull(const double* B, std::ptrdiff_t n, const double* y, double* p, double* Bp) {
  P sums[kTen + 1];
  each<kTen + 1>([&](auto k) HEFT_LANE { sums[k].v = P::Vector{}; });
  for (std::ptrdiff_t i = 0; i < n; i += kLanes) {
    P b[kTen], dots[2] = {P(0.0), P(0.0)};
    each<kTen>([&](auto k) HEFT_LANE {
      b[k].v = load(B + k * n + i).v;
      dots[k % 2] = dots[k % 2] - b[k] * P(y[k]);
    });
    const P pulled = positive(dots[0] + dots[1]);
    store(pulled, p + i);
    each<kTen>([&](auto k) HEFT_LANE { sums[k] = sums[k] + b[k] * pulled; });
    sums[kTen] = sums[kTen] + pulled * pulled;
  }
  double found[kTen + 1];
  put_sums(sums, found);
  std::copy_n(found, kTen, Bp);
  return found[kTen];
}

inline void image(const double* B, std::ptrdiff_t n, const double* mu, double* x) {
  P sums[kTen];
  each<kTen>([&](auto k) HEFT_LANE { sums[k].v = P::Vector{}; });
  for (std::ptrdiff_t i = 0; i < n; i += kLanes) {
    const P mass = load(mu + i);
    each<kTen>([&](auto k) HEFT_LANE { sums[k] = sums[k] + load(B + k * n + i) * mass; });
  }
  put_sums(sums, x);
}

/// Rows kFirst.. of N times columns from kFrom on, five each.
template <int kFirst, int kFrom>
void put_block(const double* B, std::ptrdiff_t n, const double* p, double* N) {
  constexpr int kHalf = kTen / 2, kCount = kHalf * kHalf;
  P sums[kCount];
  each<kCount>([&](auto k) HEFT_LANE { sums[k].v = P::Vector{}; });
  for (std::ptrdiff_t i = 0; i < n; i += kLanes) {
    const P pulled = load(p + i);
    P left[kHalf], right[kHalf];
    each<kHalf>([&](auto k) HEFT_LANE {
      const P b = load(B + (kFirst + k) * n + i);
      left[k].v = pulled.v > 0.0 ? b.v : 0.0 * pulled.v;
      right[k].v = load(B + (kFrom + k) * n + i).v;
    });
    each<kCount>([&](auto k) HEFT_LANE {
      if constexpr (kFirst != kFrom || k % kHalf <= k / kHalf)  // on the diagonal one triangle is
                                                                // enough
        sums[k] = sums[k] + left[k / kHalf] * right[k % kHalf];
    });
  }
  double found[kCount];
  put_sums(sums, found);
  for (int r = 0; r < kHalf; ++r)
    for (int c = 0; c < (kFirst == kFrom ? r + 1 : kHalf); ++c) {
      const int row = kFirst + r, column = kFrom + c;
      N[kStride * row + column] = N[kStride * column + row] = found[kHalf * r + c];
    }
}

inline void active_product(const double* B, std::ptrdiff_t n, const double* p, double* N) {
  put_block<0, 0>(B, n, p, N);
  put_block<5, 0>(B, n, p, N);
  put_block<5, 5>(B, n, p, N);
}

inline void one_plus_product(double tau, const double* N, const double* H, double* K) {
  constexpr int kPacks = whole_packs(kTen) / kLanes;
  for (int r = 0; r < kTen; ++r) {
    P row[kPacks];
    each<kPacks>([&](auto c) HEFT_LANE { row[c].v = P::Vector{}; });
    each<kTen>([&](auto k) HEFT_LANE {
      const P factor(N[kStride * r + k]);
      each<kPacks>(
          [&](auto c) HEFT_LANE { row[c] = row[c] + factor * load(H + kStride * k + kLanes * c); });
    });
    each<kPacks>([&](auto c) HEFT_LANE { store(P(tau) * row[c], K + kStride * r + kLanes * c); });
    K[kStride * r + r] += 1;
  }
}

inline void combine(int count, std::ptrdiff_t width, const double* rows, const double* weights,
                    double* sum) {
  for (std::ptrdiff_t c = 0; c < width; c += kLanes) {
    P even(0.0), odd(0.0);
    for (int r = 0; r < count; r += 2) even = even + P(weights[r]) * load(rows + r * width + c);
    for (int r = 1; r < count; r += 2) odd = odd + P(weights[r]) * load(rows + r * width + c);
    store(even + odd, sum + c);
  }
}

inline bool solve(int size, double* K, double* right) {
  for (int r = 0; r < size; ++r) K[kStride * r + size] = right[r];
  for (int k = 0; k < size; ++k) {
    int best = k;
    for (int r = k + 1; r < size; ++r)
      if (std::abs(K[kStride * r + k]) > std::abs(K[kStride * best + k])) best = r;
    if (!(std::abs(K[kStride * best + k]) > 0)) return false;
    if (best != k) std::swap_ranges(K + kStride * k, K + kStride * (k + 1), K + kStride * best);
    const double inverse = 1 / K[kStride * k + k];
    const int from = k / kLanes * kLanes;
    for (int r = k + 1; r < size; ++r) {
      const P factor(K[kStride * r + k] * inverse);
      for (int c = from; c < kStride; c += kLanes)
        store(load(K + kStride * r + c) - factor * load(K + kStride * k + c), K + kStride * r + c);
    }
  }
  for (int r = size - 1; r >= 0; --r) {
    double left = K[kStride * r + size];
    for (int c = r + 1; c < size; ++c) left -= K[kStride * r + c] * right[c];
    right[r] = left / K[kStride * r + r];
  }
  return true;
}

constexpr PointKernels kernels() {
  return {pull, image, active_product, one_plus_product, combine, solve};
}

}  // namespace heft::payload::HEFT_CPU_TARGET
