#include "kernels/motions_cuda.hpp"

namespace heft {

Result<std::unique_ptr<DeviceMotions>> make_cuda_motions(const DeviceMotionInput&, int) {
  return Error{"motions on cuda", "not compiled into this build",
               "build where nvcc is found, with -DHEFT_CUDA=ON"};
}

}  // namespace heft
