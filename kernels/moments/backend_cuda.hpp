// The CUDA backend as the host sees it: no CUDA header. Built from backend_cuda.cpp and measure_peak.cpp with the CUDA
// toolkit, from backend_cuda_stub.cpp without.
#pragma once

#include "heft/backend.hpp"
#include "kernels/moments/moments_engine.hpp"

namespace heft {

/// Whether this build has the CUDA backend; no device need answer.
bool cuda_is_compiled();

/// Error (never a fall-back) if CUDA was not compiled in or no device answers.
Result<std::unique_ptr<Backend>> make_cuda_backend(const cuda::EngineOptions& options = {});

/// Most multiply-adds a second that the first device does in registers; errors as above.
Result<double> measure_cuda_peak(core::Precision precision);

}  // namespace heft
