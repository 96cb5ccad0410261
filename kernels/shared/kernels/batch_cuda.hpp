// Host interface for batches of problems on a CUDA device: one function, without CUDA headers.
// Built from batch_cuda.cpp with the CUDA toolkit, from batch_cuda_stub.cpp without.
#pragma once

#include <memory>

#include "solve/device_batch_solver.hpp"

#pragma GCC visibility push(default)
namespace heft {

namespace cuda {

struct BatchSolverOptions {
  /// Factors that do not fit into a block's memory are computed by cuSOLVER if it is found,
  /// otherwise by the block in device memory.
  bool by_library = true;
};

}  // namespace cuda

/// Error, without a fallback, if CUDA was not compiled in or no device responds.
Result<std::unique_ptr<DeviceBatchSolver>> make_cuda_batch_solver(
    const cuda::BatchSolverOptions& options = {});

}  // namespace heft
#pragma GCC visibility pop
