// Filter sections for several signals in parallel, compiled once per instruction set.
#pragma once

#include <cstddef>

#include "heft/signal/smoother.hpp"

namespace heft::signal {

struct Kernels {
  /// Filters in one direction, in place, with initial states at rest on the first values: `n`
  /// values of kSignalLanes signals starting at `x`, in ascending order or, with a step of -1,
  /// descending.
  void (*run)(const Biquad* sections, int num_sections, double* x, std::ptrdiff_t n,
              std::ptrdiff_t step);
};

extern const Kernels kBaselineKernels, kAvx2Kernels, kAvx512Kernels;

}  // namespace heft::signal
