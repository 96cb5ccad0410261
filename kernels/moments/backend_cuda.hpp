// The CUDA backend as the host sees it: no CUDA header. Built from backend_cuda.cpp and measure_peak.cpp with the CUDA
// toolkit, from backend_cuda_stub.cpp without.
#pragma once

#include "heft/backend.hpp"
#include "kernels/moments/moments_engine.hpp"

namespace heft {

/// Error (never a fall-back) if CUDA was not compiled in or no device answers.
Result<std::unique_ptr<Backend>> make_cuda_backend(const cuda::EngineOptions& options = {});

/// Whether CUDA was compiled in and the machine has a device, or at least a driver that does not deny it: if the backend
/// cannot be made then, the user should learn why.
bool may_have_cuda_device();

/// Most multiply-adds a second that the first device does in registers; errors as above.
Result<double> measure_cuda_peak(core::Precision precision);

}  // namespace heft
