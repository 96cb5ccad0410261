// The CUDA backend: runs the moments engine on the first device that responds.
#include "kernels/backend_cuda.hpp"

#include "../cuda_edge.cuh"
#include "cuda_device.hpp"
#include "moments_engine.hpp"

namespace heft {

bool cuda_is_compiled() {
  return true;
}

Result<std::unique_ptr<Backend>> make_cuda_backend(const cuda::EngineOptions& options) {
  HEFT_TRY(device, cuda::make_cuda_device());
  return cuda::make_device_backend(std::move(device), options);
}

bool may_have_cuda_device() {
  return cuda::may_have_device();
}

}  // namespace heft
