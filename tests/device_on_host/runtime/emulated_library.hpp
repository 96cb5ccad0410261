// For libraries emulated in addition to the runtime.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <functional>

namespace heft::device_on_host {

/// `work` is done when its turn in `stream` comes.
void enqueue(cudaStream_t stream, std::function<void()> work);

/// Of the device, by such work: kernels may read these bytes.
void mark_written(const void* memory, std::size_t size);

}  // namespace heft::device_on_host
