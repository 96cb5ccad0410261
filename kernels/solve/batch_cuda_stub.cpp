#include "kernels/batch_cuda.hpp"

namespace heft {

Result<std::unique_ptr<DeviceBatchSolver>> make_cuda_batch_solver(const cuda::BatchSolverOptions&) {
  return Error{"batch on cuda", "not compiled into this build",
               "build where nvcc is found, with -DHEFT_CUDA=ON"};
}

}  // namespace heft
