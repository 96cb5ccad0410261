// The CUDA device as a Device: streams for the queues, events for their dependencies.
#pragma once

#include <memory>

#include "device.hpp"

namespace heft::cuda {

/// Returns the first device that responds; Error if none does.
Result<std::unique_ptr<Device>> make_cuda_device();

}  // namespace heft::cuda
