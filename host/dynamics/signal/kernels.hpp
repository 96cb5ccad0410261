// Sections of a filter over signals side by side, one object file an instruction set.
#pragma once

#include <cstddef>

#include "heft/signal/smoother.hpp"

namespace heft::signal {

struct Kernels {
  /// One direction, in place, the states at rest on the first values: `n` values of kSignalLanes
  /// signals, from `x` on, the next to the right of each other or, with a step of -1, to the left.
  void (*run)(const Biquad* sections, int num_sections, double* x, std::ptrdiff_t n,
              std::ptrdiff_t step);
};

extern const Kernels kBaselineKernels, kAvx2Kernels, kAvx512Kernels;

}  // namespace heft::signal
