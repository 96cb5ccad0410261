// The CUDA backend: the moments engine on the first device that answers.
#include "kernels/moments/backend_cuda.hpp"

#include "kernels/moments/cuda_device.hpp"

namespace heft {

bool cuda_is_compiled() {
  return true;
}

Result<std::unique_ptr<Backend>> make_cuda_backend(const cuda::EngineOptions& options) {
  HEFT_TRY(device, cuda::make_cuda_device());
  return cuda::make_device_backend(std::move(device), options);
}

}  // namespace heft
