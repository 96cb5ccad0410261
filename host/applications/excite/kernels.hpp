// Per-sample kernels of a score, compiled once per instruction set; lanes are samples. Arrays of
// samples are columns, `stride` apart and padded to whole groups of packs, with one column per
// coordinate or per entry of a channel's row. A call on a block of samples passes pointers to the
// first sample and the number of samples, including padding.
#pragma once

#include <cstddef>

#include "heft/core/tree.hpp"

namespace heft::excite {

/// A motion at its samples, padded with copies of a sample.
struct MotionColumns {
  const double *position, *velocity, *acceleration;  ///< one column per coordinate
  std::ptrdiff_t stride;
  double base[9];  ///< motion of the base: w, wd, a minus gravity

  MotionColumns from(std::ptrdiff_t sample) const {
    MotionColumns part = *this;
    part.position += sample, part.velocity += sample, part.acceleration += sample;
    return part;
  }
};

/// Rows of all channels, one column per entry; channel c begins at column first[c].
template <class Number>
struct EntryColumns {
  Number* values;
  std::ptrdiff_t stride;
  const int* first;

  EntryColumns from(std::ptrdiff_t sample) const { return {values + sample, stride, first}; }
};
using RowColumns = EntryColumns<double>;
using ConstRowColumns = EntryColumns<const double>;

/// Columns of one channel.
struct ChannelColumns {
  double* values;
  std::ptrdiff_t stride;
  int width;
};

/// Values of the basis functions of a motion: sample s uses coefficients first[s] to first[s] +
/// width.
struct BasisColumns {
  const int* first;
  const double* values;  ///< width values per sample
  int width, num_samples;
};

struct Kernels {
  int group;  ///< a stride is a multiple of this number of samples
  int lanes;  ///< samples per pack

  void (*rows)(const core::TreeView& tree, const MotionColumns& motion, const RowColumns& rows,
               std::ptrdiff_t count);
  /// gram(i, j) += sum over samples y_i y_j, j <= i, row-major, width x width; leaves the upper
  /// triangle unchanged.
  void (*gram)(const ChannelColumns& y, std::ptrdiff_t count, double* gram);
  /// z_j = sum_i factor(i, j) y_i; factor is width x width, row-major.
  void (*times)(const ChannelColumns& y, std::ptrdiff_t count, const double* factor,
                const ChannelColumns& z);
  /// sum = sum_i weight_i y_i.
  void (*weighted)(const ChannelColumns& y, std::ptrdiff_t count, const double* weights,
                   double* sum);
  /// sum = sum_i y_i z_i.
  void (*product)(const ChannelColumns& y, std::ptrdiff_t count, const ChannelColumns& z,
                  double* sum);
  /// z_i += weight_i by.
  void (*add_weighted)(const ChannelColumns& z, std::ptrdiff_t count, const double* weights,
                       const double* by);
  /// z_i += y_i by.
  void (*add_product)(const ChannelColumns& z, std::ptrdiff_t count, const ChannelColumns& y,
                      const double* by);
  /// Adds the gradient with respect to the motion, computed from `bars`, the gradient with respect
  /// to the rows. One column per coordinate, with the stride of the motion.
  void (*adjoint)(const core::TreeView& tree, const MotionColumns& motion,
                  const ConstRowColumns& rows, const ConstRowColumns& bars, std::ptrdiff_t count,
                  double* position, double* velocity, double* acceleration);
  /// values(s, k) = sum_i basis_i(s) C(first + i, k); C row-major, columns padded to packs. Columns
  /// of values are `stride` apart.
  void (*move)(const BasisColumns& basis, const double* C, int num_coordinates, double* values,
               std::ptrdiff_t stride);
  /// C(first + i, k) += basis_i(s) by(s, k), with the same arrays.
  void (*move_back)(const BasisColumns& basis, const double* by, std::ptrdiff_t stride,
                    int num_coordinates, double* C);
};

extern const Kernels kBaselineKernels, kAvx2Kernels, kAvx512Kernels;

/// Returns the kernels for the widest instruction set of the processor.
const Kernels& widest_kernels();

}  // namespace heft::excite
