// Register tiles: sums over packs of the products of a few columns with a few others. Included once
// per instruction set and namespace.
//
// Lanes are samples, so both factors are packs. A tile keeps its sums and the columns of its
// shorter side in registers and loads the columns of its longer side one by one. Nine to thirteen
// sums hide the latency of additions with sixteen registers. At the end the lanes are summed and
// added to fp64 sums; in fp32 this flush limits rounding errors.
#pragma once

#include <array>
#include <cstring>
#include <utility>

#include "executor/gram_program.hpp"
#include "executor/pack.hpp"
#include "heft/core/choices.hpp"

namespace heft::cpu::HEFT_CPU_TARGET {

#if defined(__aarch64__)
constexpr int kRegisters = 32, kMaxSums = 24;  // products take no operand from memory
#else
constexpr int kRegisters = kPackBytes == 64 ? 32 : 16, kMaxSums = kRegisters == 32 ? 28 : 13;
#endif
constexpr int kMaxEdge = kRegisters == 32 ? 7 : 6;  ///< maximum edge of a rectangle

/// Keeps the compiler from folding a load into each of its uses: the factor stays in its register.
template <class Vector>
HEFT_HD void keep_in_register(Vector& vector) {
#if defined(__x86_64__)
  asm("" : "+v"(vector));
#elif defined(__aarch64__)
  asm("" : "+w"(vector));
#endif
}

/// An opaque pointer: the compiler keeps no value loaded through it in a register.
template <class Packs>
HEFT_HD const Packs* in_memory(const Packs* packs) {
#if defined(__x86_64__)
  asm("" : "+r"(packs));
#endif
  return packs;
}

/// Adds lanes [kFirst, kFirst + count) of numbers to sums.
template <int kFirst, class Vector, std::size_t... kLane>
HEFT_HD void add_lanes(const Vector& numbers, double* sums, std::index_sequence<kLane...>) {
  typedef double Doubles __attribute__((vector_size(sizeof...(kLane) * sizeof(double)), may_alias));
  Doubles target;
  std::memcpy(&target, sums, sizeof target);
  target += __builtin_convertvector(
      __builtin_shufflevector(numbers, numbers, (kFirst + int(kLane))...), Doubles);
  std::memcpy(sums, &target, sizeof target);
}

/// Adds packs[i], lanes summed, to sums[i].
template <int kCount, class Real>
HEFT_HD void add_sums_of_lanes(Pack<Real>* packs, double* sums) {
  constexpr int kLanes = Pack<Real>::kLanes;
  constexpr int kNow = kCount < kLanes ? kCount : kLanes;
  const Pack<Real> lanes = sums_of_lanes<kNow, kLanes / 2>(packs);
  // eight floats in two halves: GCC 12 converts a vector wider than a register through memory
  constexpr int kAtOnce = kPackBytes / sizeof(double);
  add_lanes<0>(lanes.v, sums, std::make_index_sequence<kAtOnce>());
  if constexpr (kAtOnce < kLanes && kAtOnce < kNow)
    add_lanes<kAtOnce>(lanes.v, sums + kAtOnce, std::make_index_sequence<kLanes - kAtOnce>());
  if constexpr (kCount > kLanes) add_sums_of_lanes<kCount - kLanes>(packs + kLanes, sums + kLanes);
}

template <class Real, int kCount>
HEFT_HD void set_to_zero(Pack<Real> (&tile)[kCount]) {
#pragma GCC unroll 64
  for (int i = 0; i < kCount; ++i) tile[i].v = typename Pack<Real>::Vector{};
}

/// TileKind::rectangle. Keeps the shorter side in registers as far as these suffice.
template <class Real, int kRows, int kColumns, bool kHasTorque>
void add_rectangle(const void* left_packs, const void* right_packs, const void* torque_packs,
                   const TileStrides& strides, int count, double* sums) {
  using Vector = typename Pack<Real>::Vector;
  constexpr int kSums = kRows * kColumns;
  constexpr int kRoom = kRegisters - 1 - kSums;
  const auto* left = static_cast<const Pack<Real>*>(left_packs);
  const auto* right = static_cast<const Pack<Real>*>(right_packs);
  const auto* torque = static_cast<const Pack<Real>*>(torque_packs);
  const std::ptrdiff_t left_step = strides.left, right_step = strides.right;
  const std::ptrdiff_t torque_step = kHasTorque ? strides.torque : 0;
  Pack<Real> tile[kSums];
  set_to_zero(tile);
  const auto right_factor = [&](int b) -> const Vector& {
    return kHasTorque && b == kColumns - 1 ? torque->v : right[b].v;
  };
  for (int p = 0; p < count; ++p, left += left_step, right += right_step, torque += torque_step) {
    if constexpr (kColumns <= kRows) {
      Vector kept[kColumns];
#pragma GCC unroll 16
      for (int b = 0; b < kColumns; ++b) {
        kept[b] = right_factor(b);
        if (b < kRoom) keep_in_register(kept[b]);
      }
#pragma GCC unroll 16
      for (int a = 0; a < kRows; ++a) {
        Vector own = left[a].v;
        keep_in_register(own);
#pragma GCC unroll 16
        for (int b = 0; b < kColumns; ++b) tile[a * kColumns + b].v += own * kept[b];
      }
    } else {
      Vector kept[kRows];
#pragma GCC unroll 16
      for (int a = 0; a < kRows; ++a) {
        kept[a] = left[a].v;
        if (a < kRoom) keep_in_register(kept[a]);
      }
#pragma GCC unroll 16
      for (int b = 0; b < kColumns; ++b) {
        Vector own = right_factor(b);
        keep_in_register(own);
#pragma GCC unroll 16
        for (int a = 0; a < kRows; ++a) tile[a * kColumns + b].v += own * kept[a];
      }
    }
  }
  add_sums_of_lanes<kSums>(tile, sums);
}

/// TileKind::pinwheel.
template <class Real>
void add_pinwheel(const void* left_packs, const void* right_packs, const void*,
                  const TileStrides& strides, int count, double* sums) {
  using Vector = typename Pack<Real>::Vector;
  const auto* left = static_cast<const Pack<Real>*>(left_packs);
  const auto* right = static_cast<const Pack<Real>*>(right_packs);
  const std::ptrdiff_t left_step = strides.left, right_step = strides.right;
  Pack<Real> tile[13];
  set_to_zero(tile);
  for (int p = 0; p < count; ++p, left += left_step, right += right_step) {
    Vector first = right[0].v, second = right[1].v;
    keep_in_register(first);
    keep_in_register(second);
#pragma GCC unroll 4
    for (int a = 0; a < 4; ++a) {
      Vector own = left[a].v;
      keep_in_register(own);
      tile[3 * a].v += own * first;
      tile[3 * a + 1].v += own * second;
      tile[3 * a + 2].v += own * in_memory(right)[2].v;
      if (a == 3) tile[12].v += own * in_memory(right)[3].v;
    }
  }
  add_sums_of_lanes<13>(tile, sums);
}

/// TileKind::triangle.
template <class Real, int kSize, bool kHasTorque>
void add_triangle(const void* left_packs, const void*, const void* torque_packs,
                  const TileStrides& strides, int count, double* sums) {
  using Vector = typename Pack<Real>::Vector;
  constexpr int kTriangle = core::packed_triangle(kSize);
  constexpr int kSums = kTriangle + (kHasTorque ? kSize : 0);
  const auto* columns = static_cast<const Pack<Real>*>(left_packs);
  const auto* torque = static_cast<const Pack<Real>*>(torque_packs);
  const std::ptrdiff_t step = strides.left, torque_step = kHasTorque ? strides.torque : 0;
  Pack<Real> tile[kSums];
  set_to_zero(tile);
  for (int p = 0; p < count; ++p, columns += step, torque += torque_step) {
    Vector factor[kSize];
#pragma GCC unroll 16
    for (int a = 0; a < kSize; ++a) {
      factor[a] = columns[a].v;
      keep_in_register(factor[a]);
    }
#pragma GCC unroll 16
    for (int a = 0; a < kSize; ++a)
#pragma GCC unroll 16
      for (int b = a; b < kSize; ++b)
        tile[core::packed_index(kSize, a, b)].v += factor[a] * factor[b];
    if constexpr (kHasTorque) {
#pragma GCC unroll 16
      for (int a = 0; a < kSize; ++a) tile[kTriangle + a].v += factor[a] * in_memory(torque)->v;
    }
  }
  add_sums_of_lanes<kSums>(tile, sums);
}

/// TileKind::corner.
template <class Real>
void add_corner(const void* left_packs, const void*, const void* torque_packs,
                const TileStrides& strides, int count, double* sums) {
  using Vector = typename Pack<Real>::Vector;
  const auto* columns = static_cast<const Pack<Real>*>(left_packs);
  const auto* torque = static_cast<const Pack<Real>*>(torque_packs);
  const std::ptrdiff_t step = strides.left, torque_step = strides.torque;
  Pack<Real> tile[13];
  set_to_zero(tile);
  for (int p = 0; p < count; ++p, columns += step, torque += torque_step) {
    Vector four = columns[4].v;
    keep_in_register(four);
#pragma GCC unroll 4
    for (int a = 0; a < 4; ++a) tile[a].v += four * in_memory(columns)[a].v;
    Vector five = columns[5].v;
    keep_in_register(five);
    tile[4].v += four * four;
    tile[5].v += four * five;
    Vector six = columns[6].v;
    keep_in_register(six);
    tile[6].v += four * six;
    tile[7].v += four * in_memory(torque)->v;
    tile[8].v += five * five;
    tile[9].v += five * six;
    tile[10].v += five * in_memory(torque)->v;
    tile[11].v += six * six;
    tile[12].v += six * in_memory(torque)->v;
  }
  add_sums_of_lanes<13>(tile, sums);
}

/// TileKind::square, in eight chains.
template <class Real>
void add_square(const void* left_packs, const void*, const void*, const TileStrides& strides,
                int count, double* sums) {
  constexpr int kChains = 8;
  const auto* column = static_cast<const Pack<Real>*>(left_packs);
  const std::ptrdiff_t step = strides.left;
  Pack<Real> tile[kChains];
  set_to_zero(tile);
  int p = 0;
  for (; p + kChains <= count; p += kChains)
#pragma GCC unroll 8
    for (int i = 0; i < kChains; ++i, column += step) tile[i].v += column->v * column->v;
  for (; p < count; ++p, column += step) tile[0].v += column->v * column->v;
#pragma GCC unroll 3
  for (int half = kChains / 2; half > 0; half /= 2)
#pragma GCC unroll 4
    for (int i = 0; i < half; ++i) tile[i].v += tile[i + half].v;
  add_sums_of_lanes<1>(tile, sums);
}

/// Returns whether the sums of a shape fit the registers, with the columns that a triangle keeps.
constexpr bool fits_registers(const TileShape& shape) {
  const int sums = num_products(shape);
  switch (shape.kind) {
    case TileKind::rectangle:
      return sums <= (kRegisters == 16 ? 12 : kMaxSums);
    case TileKind::triangle:
      return sums + shape.rows <= kRegisters;
    case TileKind::pinwheel:
    case TileKind::corner:
      return kRegisters == 16;  // with more registers, rectangles are more efficient
    case TileKind::square:
      return true;
  }
  return false;
}

template <class Real, int kRows, int kColumns, bool kHasTorque>
constexpr TileFunction rectangle_function() {
  if constexpr (fits_registers({TileKind::rectangle, kRows, kColumns, kHasTorque}))
    return add_rectangle<Real, kRows, kColumns, kHasTorque>;
  return nullptr;
}
template <class Real, int kSize, bool kHasTorque>
constexpr TileFunction triangle_function() {
  if constexpr (fits_registers({TileKind::triangle, kSize, kSize, kHasTorque}))
    return add_triangle<Real, kSize, kHasTorque>;
  return nullptr;
}

/// Indexed by rows, columns and torque; null if a shape does not fit.
template <class Real, std::size_t... kIndex>
constexpr std::array<TileFunction, sizeof...(kIndex)> rectangle_functions(
    std::index_sequence<kIndex...>) {
  return {rectangle_function<Real, int(kIndex / 2) / kMaxEdge + 1, int(kIndex / 2) % kMaxEdge + 1,
                             kIndex % 2 != 0>()...};
}
template <class Real, std::size_t... kIndex>
constexpr std::array<TileFunction, sizeof...(kIndex)> triangle_functions(
    std::index_sequence<kIndex...>) {
  return {triangle_function<Real, int(kIndex / 2) + 1, kIndex % 2 != 0>()...};
}

/// TileSet::function.
template <class Real>
TileFunction tile_function(const TileShape& shape) {
  static constexpr auto kRectangles =
      rectangle_functions<Real>(std::make_index_sequence<2 * kMaxEdge * kMaxEdge>());
  static constexpr auto kTriangles =
      triangle_functions<Real>(std::make_index_sequence<2 * kMaxEdge>());
  switch (shape.kind) {
    case TileKind::rectangle:
      if (shape.rows > kMaxEdge || shape.columns > kMaxEdge) return nullptr;
      return kRectangles[2 * ((shape.rows - 1) * kMaxEdge + shape.columns - 1) + shape.has_torque];
    case TileKind::triangle:
      if (shape.rows > kMaxEdge) return nullptr;
      return kTriangles[2 * (shape.rows - 1) + shape.has_torque];
    case TileKind::pinwheel:
      return kRegisters == 16 ? add_pinwheel<Real> : nullptr;
    case TileKind::corner:
      return kRegisters == 16 ? add_corner<Real> : nullptr;
    case TileKind::square:
      return add_square<Real>;
  }
  return nullptr;
}

template <class Real>
constexpr TileSet tile_set() {
  return {kRegisters, kMaxSums, kPackBytes, tile_function<Real>};
}

}  // namespace heft::cpu::HEFT_CPU_TARGET
