#include "bench/device/device_bench.hpp"

namespace heft {

namespace {

Error not_compiled() {
  return {"backend cuda", "not compiled into this build",
          "build archives (BUILD_SHARED_LIBS=OFF) where nvcc is found, with -DHEFT_CUDA=ON"};
}

}  // namespace

Result<double> measure_cuda_peak(core::Precision) {
  return not_compiled();
}

Result<std::unique_ptr<Backend>> make_plain_form(const PlainFormOptions&) {
  return not_compiled();
}

}  // namespace heft
