// The Backend of a device: prepares plans and tile maps, cuts jobs into parts, sends them through
// the pipeline of transfers and puts what comes back in its place. It knows no CUDA: what it asks
// of a device is in device.hpp.
#pragma once

#include <memory>

#include "heft/rows/backend.hpp"
#include "kernels/backend_cuda.hpp"
#include "transfer_pipeline.hpp"

namespace heft::cuda {

/// Calls from several threads take turns.
std::unique_ptr<Backend> make_device_backend(std::unique_ptr<Device> device,
                                             const EngineOptions& options = {});

}  // namespace heft::cuda
