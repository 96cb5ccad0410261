// What a problem of point masses spends its time on: sums over points, a lane a point, and its
// small systems. One object file an instruction set.
//
// B lies row by row, ten rows of n points each; n is a multiple of the most lanes, and points that
// fill up are zero. Small matrices lie row by row, kStride numbers apart.
#pragma once

#include <cstddef>

#pragma GCC visibility push(default)
namespace heft::payload {

inline constexpr std::ptrdiff_t kMaxPointLanes = 8, kStride = 16;

struct PointKernels {
  /// p = max(0, -B'y) and Bp = B p, ten numbers; returns |p|^2.
  double (*pull)(const double* B, std::ptrdiff_t n, const double* y, double* p, double* Bp);
  /// x = B mu, ten numbers.
  void (*image)(const double* B, std::ptrdiff_t n, const double* mu, double* x);
  /// N = sum of b b' over the points b whose p is above zero: 10 x 10, both triangles.
  void (*active_product)(const double* B, std::ptrdiff_t n, const double* p, double* N);
  /// K = 1 + tau N H, all 10 x 10.
  void (*one_plus_product)(double tau, const double* N, const double* H, double* K);
  /// sum = of `count` rows, of `width` numbers each, a multiple of the most lanes, with their
  /// weights.
  void (*combine)(int count, std::ptrdiff_t width, const double* rows, const double* weights,
                  double* sum);
  /// Solves K x = right by elimination with pivots by column, `size` at most 11; K is used up, x
  /// takes the place of the right side. False: K is singular.
  bool (*solve)(int size, double* K, double* right);
};

extern const PointKernels kBaselinePoints, kAvx2Points, kAvx512Points;

}  // namespace heft::payload
#pragma GCC visibility pop
