// Device memory, streams and events that free themselves, and CUDA errors as Errors: the edge between CUDA and Result<T>.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <utility>

#include "heft/result.hpp"
#include "kernels/moments/device.hpp"

namespace heft::cuda {

/// `what` was attempted with `status`: success, or an Error in CUDA's own words.
inline Result<Done> check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return Done{};
  const char* remedy =
      status == cudaErrorMemoryAllocation ? "use shorter logs at a time, or the CPU backend" : "";
  return Error{"backend cuda", std::string(what) + ": " + cudaGetErrorString(status), remedy};
}

inline Result<Device::Memory> device_memory(std::size_t num_bytes) {
  void* memory = nullptr;
  HEFT_CHECK(check(cudaMalloc(&memory, num_bytes), "device memory"));
  return Device::Memory(static_cast<std::byte*>(memory), [](std::byte* p) { cudaFree(p); });
}

/// Of the host, locked in its place, so that copies run beside kernels.
inline Result<Device::Memory> pinned_memory(std::size_t num_bytes) {
  void* memory = nullptr;
  HEFT_CHECK(check(cudaMallocHost(&memory, num_bytes), "pinned memory"));
  return Device::Memory(static_cast<std::byte*>(memory), [](std::byte* p) { cudaFreeHost(p); });
}

/// Owns a stream or an event.
template <class Handle, cudaError_t (*kDestroy)(Handle)>
class Owned {
 public:
  Owned() = default;
  explicit Owned(Handle handle) : handle_(handle) {}
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept { return std::swap(handle_, other.handle_), *this; }
  ~Owned() {
    if (handle_) kDestroy(handle_);
  }
  Handle get() const { return handle_; }

 private:
  Handle handle_ = nullptr;
};
using Stream = Owned<cudaStream_t, cudaStreamDestroy>;
using Event = Owned<cudaEvent_t, cudaEventDestroy>;

inline Result<Stream> make_stream() {
  cudaStream_t stream = nullptr;
  HEFT_CHECK(check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream"));
  return Stream(stream);
}

inline Result<Event> make_event(unsigned flags = cudaEventDisableTiming) {
  cudaEvent_t event = nullptr;
  HEFT_CHECK(check(cudaEventCreateWithFlags(&event, flags), "event"));
  return Event(event);
}

}  // namespace heft::cuda
