#include "kernels/backend_cuda.hpp"

namespace heft {

namespace {

Error not_compiled() {
  return {"backend cuda", "not compiled into this build",
          "build where nvcc is found, with -DHEFT_CUDA=ON"};
}

}  // namespace

bool cuda_is_compiled() {
  return false;
}

Result<std::unique_ptr<Backend>> make_cuda_backend(const cuda::EngineOptions&) {
  return not_compiled();
}

bool may_have_cuda_device() {
  return false;
}

bool has_cuda_driver() {
  return false;
}

Result<double> cuda_device_speed() {
  return not_compiled();
}

}  // namespace heft
