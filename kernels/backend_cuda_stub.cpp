#include "kernels/backend_cuda.hpp"

namespace heft {

Result<std::unique_ptr<Backend>> make_cuda_backend(const cuda::EngineOptions&) {
  return Error{"backend cuda", "not compiled into this build",
               "build where nvcc is found, with -DHEFT_CUDA=ON"};
}

}  // namespace heft
