// The CUDA backend: runs the moments engine on the first device that responds.
#include "kernels/backend_cuda.hpp"

#include "../cuda_edge.cuh"
#include "cuda_device.hpp"
#include "device_memory.cuh"
#include "moments_engine.hpp"

namespace heft {

namespace {

/// Speed in fp64 of a multiprocessor relative to one of an H100, of which sums use a quarter. Rates
/// of the pipes: CUDA C++ Programming Guide, throughput of native arithmetic instructions.
double speed_of_multiprocessor(int major, int minor) {
  if (minor == 0 && (major == 9 || major == 10)) return 1;
  if (minor == 0 && major == 8) return 0.5;
  return 1. / 8;  // 1/32 of the pipes, or 1/64
}

}  // namespace

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

bool has_cuda_driver() {
  return cuda::driver_version() > 0;
}

Result<double> cuda_device_speed() {
  constexpr double kOfH100 = 132;
  HEFT_TRY(device, cuda::find_device(cuda::kMomentsBackend));
  return device.multiProcessorCount / kOfH100 * speed_of_multiprocessor(device.major, device.minor);
}

}  // namespace heft
