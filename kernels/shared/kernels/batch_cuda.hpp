// Batches of problems on a CUDA device, as the host sees them: no CUDA header, one function. Built from
// batch_cuda.cpp with the CUDA toolkit, from batch_cuda_stub.cpp without.
#pragma once

#include <memory>

#include "solve/device_batch_solver.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Error (never a fall-back) if CUDA was not compiled in or no device answers.
Result<std::unique_ptr<DeviceBatchSolver>> make_cuda_batch_solver();

}  // namespace heft
#pragma GCC visibility pop
