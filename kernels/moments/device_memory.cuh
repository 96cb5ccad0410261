// Device and host memory that frees itself, for the moments engine (device.hpp).
#pragma once

#include <cstddef>

#include "../cuda_edge.cuh"
#include "device.hpp"
#include "kernels/device_errors.hpp"

namespace heft::cuda {

inline Result<Device::Memory> device_memory(std::size_t num_bytes) {
  void* memory = nullptr;
  HEFT_CHECK(check(cudaMalloc(&memory, num_bytes), kMomentsBackend, "device memory"));
  return Device::Memory(static_cast<std::byte*>(memory), [](std::byte* p) { cudaFree(p); });
}

/// Page-locked host memory, so that copies run concurrently with kernels.
inline Result<Device::Memory> pinned_memory(std::size_t num_bytes) {
  void* memory = nullptr;
  HEFT_CHECK(check(cudaMallocHost(&memory, num_bytes), kMomentsBackend, "pinned memory"));
  return Device::Memory(static_cast<std::byte*>(memory), [](std::byte* p) { cudaFreeHost(p); });
}

}  // namespace heft::cuda
