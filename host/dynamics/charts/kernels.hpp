// Charts of many bodies, compiled once per instruction set. Arrays have one column per number and
// one row per body, n rows.
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
  /// The 100 numbers of a body are adjacent.
  void (*jacobian)(ChartKind kind, const double* factor, std::ptrdiff_t n, const double* points,
                   double* jacobians);
};

extern const Kernels kBaselineKernels, kAvx2Kernels, kAvx512Kernels;

/// Returns the kernels for the widest instruction set of the processor.
const Kernels& widest_kernels();

}  // namespace heft::charts
