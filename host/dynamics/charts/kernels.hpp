// The charts of many bodies, one object file an instruction set. Arrays: a column a number, a row a
// body, n rows.
#pragma once

#include <cstddef>

#include "heft/charts/chart.hpp"

namespace heft::charts {

struct Kernels {
  void (*map)(ChartKind kind, const double* factor, std::ptrdiff_t n, const double* points,
              double* parameters);
  void (*inverse)(ChartKind kind, const double* factor, std::ptrdiff_t n, const double* parameters,
                  double* points);
  void (*gradient)(ChartKind kind, const double* factor, std::ptrdiff_t n, const double* points,
                   const double* g, double* gradients);
  /// A body's 100 numbers lie side by side.
  void (*jacobian)(ChartKind kind, const double* factor, std::ptrdiff_t n, const double* points,
                   double* jacobians);
};

extern const Kernels kBaselineKernels, kAvx2Kernels, kAvx512Kernels;

/// Of the widest instructions that the processor has.
const Kernels& widest_kernels();

}  // namespace heft::charts
