// Host interface for conditioning logs on a CUDA device: one function, without CUDA headers. Built
// from condition_cuda.cpp with the CUDA toolkit, from condition_cuda_stub.cpp without.
#pragma once

#include <cstdint>
#include <memory>

#include "rows/device_conditioner.hpp"

#pragma GCC visibility push(default)
namespace heft {

namespace cuda {

struct ConditionerOptions {
  std::int64_t memory_bytes = 0;  ///< of the device at a time; 0: half of its memory
};

}  // namespace cuda

/// Error, without a fallback, if CUDA was not compiled in or no device responds.
Result<std::unique_ptr<DeviceConditioner>> make_cuda_conditioner(
    const cuda::ConditionerOptions& options = {});

}  // namespace heft
#pragma GCC visibility pop
