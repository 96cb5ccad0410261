// The Backend of a device: prepares plans and tile maps, cuts jobs into parts, sends them through the pipeline of windows
// and puts what comes back in its place. It knows no CUDA: what it asks of a device is in device.hpp.
#pragma once

#include <memory>

#include "heft/backend.hpp"
#include "kernels/moments/window_pipeline.hpp"

namespace heft::cuda {

/// How sums of products are made.
enum class GramForm {
  fused,  ///< rows stay in the caches and are multiplied by the kernel that made them
  plain,  ///< rows go to device memory, a library multiplies them, fp64 only: what fused must beat and agree with
};

struct EngineOptions {
  GramForm form = GramForm::fused;
  std::int64_t window_bytes = WindowPipeline::kWindowBytes;
  int threads = 0;  ///< of the host, which filter rows; 0: one per hardware thread
};

/// Calls from several threads take turns.
std::unique_ptr<Backend> make_device_backend(std::unique_ptr<Device> device,
                                             const EngineOptions& options = {});

}  // namespace heft::cuda
