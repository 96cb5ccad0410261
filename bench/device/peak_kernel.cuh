// The peak rate of multiply-adds of a device, to which figures are relative.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "heft/core/choices.hpp"

namespace heft::cuda {

/// Multiply-adds that `num_blocks` blocks do in `rounds` rounds.
std::int64_t peak_products(int num_blocks, int rounds);

/// Does them in registers, on stream 0; `never_written` is device memory for one double that keeps
/// the compiler from leaving them out.
cudaError_t launch_peak(core::Precision precision, int num_blocks, int rounds,
                        double* never_written);

}  // namespace heft::cuda
