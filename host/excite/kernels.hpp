// What a score does with every sample, one object file an instruction set; lanes are samples. Arrays of samples are columns,
// `stride` apart, padded to whole groups of packs: a column a coordinate, or a column an entry of a channel's row.
#pragma once

#include <cstddef>

#include "heft/core/tree.hpp"

namespace heft::excite {

/// A motion at its samples, padded with copies of a sample.
struct MotionColumns {
  const double *position, *velocity, *acceleration;  ///< a column a coordinate
  std::ptrdiff_t stride;                             ///< samples, padding included
  double base[9];                                    ///< motion of the base: w, wd, a minus gravity
};

/// Rows of all channels, a column an entry; channel c begins at column first[c].
struct RowColumns {
  double* values;
  const int* first;
};

struct Kernels {
  int group;  ///< of how many samples a stride is a multiple

  void (*rows)(const core::TreeView& tree, const MotionColumns& motion, const RowColumns& rows);
  /// gram(i, j) = sum over samples y_i y_j, j <= i, row-major, width x width; the upper triangle is zero.
  void (*gram)(const double* y, std::ptrdiff_t stride, int width, double* gram);
  /// z_j = sum_i factor(i, j) y_i; factor is width x width, row-major.
  void (*times)(const double* y, std::ptrdiff_t stride, int width, const double* factor, double* z);
  /// Adds to a column a coordinate what a number changes with the motion, from what it changes with the rows, `bars`.
  void (*adjoint)(const core::TreeView& tree, const MotionColumns& motion, const double* rows,
                  const int* first, const double* bars, double* position, double* velocity,
                  double* acceleration);
};

extern const Kernels kBaselineKernels, kAvx2Kernels, kAvx512Kernels;

/// Of the widest instructions that the processor has.
const Kernels& widest_kernels();

}  // namespace heft::excite
