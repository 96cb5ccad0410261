// The kernels of projection_kernels.hpp on packs: of samples to make projectors, of columns to
// apply them. The including file defines HEFT_PROJECTION_TARGET (namespace) and
// HEFT_PROJECTION_BYTES (of a register).
#pragma once

#include <cstring>

#include "projection_kernels.hpp"

namespace heft::projection::HEFT_PROJECTION_TARGET {

typedef double Register __attribute__((vector_size(HEFT_PROJECTION_BYTES)));
constexpr int kLanes = HEFT_PROJECTION_BYTES / sizeof(double), kPacks = kSignalLanes / kLanes;

struct Pack {
  Register value;

  Pack() = default;
  explicit Pack(double x) : value(x - Register{}) {}
  explicit Pack(Register x) : value(x) {}
  static Pack from(const double* x) {
    Pack pack;
    std::memcpy(&pack.value, x, sizeof pack.value);
    return pack;
  }
  void put(double* x) const { std::memcpy(x, &value, sizeof value); }

  Pack& operator+=(const Pack& x) { return value += x.value, *this; }
  Pack& operator-=(const Pack& x) { return value -= x.value, *this; }
  Pack& operator*=(const Pack& x) { return value *= x.value, *this; }
  friend Pack operator+(Pack x, const Pack& y) { return x += y; }
  friend Pack operator-(Pack x, const Pack& y) { return x -= y; }
  friend Pack operator*(Pack x, const Pack& y) { return x *= y; }
  friend Pack operator/(const Pack& x, const Pack& y) { return Pack(x.value / y.value); }
};

inline Pack square_root(const Pack& x) {
  Pack root;
  for (int lane = 0; lane < kLanes; ++lane) root.value[lane] = __builtin_sqrt(x.value[lane]);
  return root;
}

inline Pack if_negative(const Pack& x, const Pack& yes, const Pack& no) {
  return Pack(x.value < Register{} ? yes.value : no.value);
}

}  // namespace heft::projection::HEFT_PROJECTION_TARGET

// core/ finds the functions of packs by name when it is instantiated
#include "heft/core/null_space.hpp"

namespace heft::projection::HEFT_PROJECTION_TARGET {

/// A reference to a pack in memory.
struct Entry {
  double* at;

  Pack value() const { return Pack::from(at); }
  void operator-=(const Pack& x) const { (value() - x).put(at); }
  void operator*=(const Pack& x) const { (value() * x).put(at); }
  friend Pack operator*(const Entry& x, const Entry& y) { return x.value() * y.value(); }
  friend Pack operator*(const Pack& x, const Entry& y) { return x * y.value(); }
};

/// Writes the projectors of a pack of samples, the first of which is `first`.
inline void put_projectors(const double* basis, int num_channels, int num_directions,
                           const double* noise, int first, double* projectors) {
  const std::ptrdiff_t size = static_cast<std::ptrdiff_t>(num_channels) * num_channels;
  const auto q = [&](int c, int k) {
    return Pack::from(basis + (k * num_channels + c) * kSignalLanes + first);
  };
  for (int a = 0; a < num_channels; ++a)
    for (int b = 0; b <= a; ++b) {
      Pack entry(a == b ? 1.0 : 0.0);
      for (int k = 0; k < num_directions; ++k) entry -= q(a, k) * q(b, k);
      for (int lane = 0; lane < kLanes; ++lane) {
        double* const of_sample = projectors + (first + lane) * size;
        of_sample[b * num_channels + a] = entry.value[lane] * (noise[a] / noise[b]);
        of_sample[a * num_channels + b] = entry.value[lane] * (noise[b] / noise[a]);
      }
    }
}

inline void make_projectors(double* directions, int num_channels, int num_directions,
                            const double* noise, double* projectors) {
  for (int first = 0; first < kSignalLanes; first += kLanes) {
    const auto entry = [&](int c, int k) {
      return Entry{directions + (k * num_channels + c) * kSignalLanes + first};
    };
    core::orthonormalize<Pack>(entry, num_channels, num_directions);
    put_projectors(directions, num_channels, num_directions, noise, first, projectors);
  }
}

/// Channels first .. first + kCount of one sample: kCount rows of the projector times its values.
template <int kCount>
void project_channels(const Tile& tile, const double* projector, std::ptrdiff_t sample, int first) {
  Pack sums[kCount][kPacks];
  for (int r = 0; r < kCount; ++r)
    for (int p = 0; p < kPacks; ++p) sums[r][p] = Pack(0.0);
  for (int s = 0; s < tile.num_sources; ++s) {
    const double* const factors = projector + tile.sources[s] * tile.num_channels + first;
    const double* const values = tile.given + s * tile.given_stride + sample * kSignalLanes;
    for (int p = 0; p < kPacks; ++p) {
      const Pack value = Pack::from(values + p * kLanes);
      for (int r = 0; r < kCount; ++r) sums[r][p] += Pack(factors[r]) * value;
    }
  }
  for (int r = 0; r < kCount; ++r)
    for (int p = 0; p < kPacks; ++p)
      sums[r][p].put(tile.projected + (first + r) * tile.projected_stride + sample * kSignalLanes +
                     p * kLanes);
}

/// Values of a sample that is not projected.
inline void copy(const Tile& tile, std::ptrdiff_t sample) {
  constexpr std::size_t kBytes = kSignalLanes * sizeof(double);
  const std::ptrdiff_t at = sample * kSignalLanes;
  for (int c = 0; c < tile.num_channels; ++c)
    std::memset(tile.projected + c * tile.projected_stride + at, 0, kBytes);
  for (int s = 0; s < tile.num_sources; ++s)
    std::memcpy(tile.projected + tile.sources[s] * tile.projected_stride + at,
                tile.given + s * tile.given_stride + at, kBytes);
}

inline void project(const Tile& tile) {
  constexpr int kAtATime = 6;  ///< channels whose sums stay in registers
  const std::ptrdiff_t size = static_cast<std::ptrdiff_t>(tile.num_channels) * tile.num_channels;
  for (std::ptrdiff_t i = 0; i < tile.num_samples; ++i) {
    if (tile.acts[i] == 0) {
      copy(tile, i);
      continue;
    }
    const double* const projector = tile.projectors + i * size;
    int c = 0;
    for (; c + kAtATime <= tile.num_channels; c += kAtATime)
      project_channels<kAtATime>(tile, projector, i, c);
    for (; c < tile.num_channels; ++c) project_channels<1>(tile, projector, i, c);
  }
}

constexpr Kernels kernels() {
  return {make_projectors, project};
}

}  // namespace heft::projection::HEFT_PROJECTION_TARGET
