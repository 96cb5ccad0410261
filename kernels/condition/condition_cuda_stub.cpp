#include "kernels/condition_cuda.hpp"

namespace heft {

Result<std::unique_ptr<DeviceConditioner>> make_cuda_conditioner(const cuda::ConditionerOptions&) {
  return Error{"conditioning on cuda", "not compiled into this build",
               "build where nvcc is found, with -DHEFT_CUDA=ON"};
}

}  // namespace heft
