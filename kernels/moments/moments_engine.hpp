// The Backend of a device: prepares plans and tile maps, divides jobs into parts, sends them
// through the pipeline of transfers and stores the results in order. It does not depend on CUDA;
// device.hpp is its interface to a device.
#pragma once

#include <memory>

#include "heft/rows/backend.hpp"
#include "kernels/backend_cuda.hpp"
#include "transfer_pipeline.hpp"

namespace heft::cuda {

/// Calls from several threads are serialized.
std::unique_ptr<Backend> make_device_backend(std::unique_ptr<Device> device,
                                             const EngineOptions& options = {});

}  // namespace heft::cuda
