// Kernels of a point-mass problem that take most of the time: sums over points, one lane per point,
// and its small linear systems. One object file per instruction set.
//
// B is row-major, ten rows of n points each; n is a multiple of the largest number of lanes, and
// padding points are zero. Small matrices are row-major with kStride numbers per row.
#pragma once

#include <cstddef>

#pragma GCC visibility push(default)
namespace heft::payload {

inline constexpr std::ptrdiff_t kMaxPointLanes = 8, kStride = 16;

/// The kernels of one instruction set.
struct PointKernels {
  /// Computes p = max(0, -B'y) and the ten numbers Bp = B p; returns |p|^2.
  double (*pull)(const double* B, std::ptrdiff_t n, const double* y, double* p, double* Bp);
  /// Computes x = B mu, ten numbers.
  void (*image)(const double* B, std::ptrdiff_t n, const double* mu, double* x);
  /// Computes N = sum of b b' over the points b with positive p: 10 x 10, both triangles.
  void (*active_product)(const double* B, std::ptrdiff_t n, const double* p, double* N);
  /// Computes K = 1 + tau N H, all 10 x 10.
  void (*one_plus_product)(double tau, const double* N, const double* H, double* K);
  /// Computes the weighted sum of `count` rows of `width` numbers each, a multiple of the largest
  /// number of lanes.
  void (*combine)(int count, std::ptrdiff_t width, const double* rows, const double* weights,
                  double* sum);
  /// Solves K x = right by elimination with column pivoting, `size` at most 11; overwrites K, and
  /// right with x. Returns false if K is singular.
  bool (*solve)(int size, double* K, double* right);
};

extern const PointKernels kBaselinePoints, kAvx2Points, kAvx512Points;

}  // namespace heft::payload
#pragma GCC visibility pop
