// Host interface of the CUDA backend, without CUDA headers. Built from backend_cuda.cpp with the
// CUDA toolkit, from backend_cuda_stub.cpp without.
#pragma once

#include "heft/rows/backend.hpp"

#pragma GCC visibility push(default)
namespace heft {

namespace cuda {

struct EngineOptions {
  /// Bytes of samples and results in a transfer; up to four times as many to keep the device busy.
  std::int64_t transfer_bytes = std::int64_t{64} << 20;
  int threads = 0;  ///< of the host, which filter rows; 0: one per hardware thread
};

}  // namespace cuda
/// Whether this build has the CUDA backend; does not require a device.
bool cuda_is_compiled();

/// Error, without a fallback, if CUDA was not compiled in or no device responds.
Result<std::unique_ptr<Backend>> make_cuda_backend(const cuda::EngineOptions& options = {});

/// Whether CUDA was compiled in and the machine has a device, or at least a driver that does not
/// rule it out: if the backend then cannot be made, the user must be told why.
bool may_have_cuda_device();

/// Whether CUDA was compiled in and a driver is installed; does not start it.
bool has_cuda_driver();

/// Returns the speed of sums in fp64 of the first device, relative to an H100, from its number of
/// multiprocessors and its compute capability. Error: no device responds.
Result<double> cuda_device_speed();

}  // namespace heft
#pragma GCC visibility pop
