// The edge between CUDA and Result<T>: what CUDA says as Errors, the device that is used, and handles that free
// themselves. `where` is what an Error names as its place: the moments backend or batches of the solver.
#pragma once

#include <cuda_runtime.h>

#include <string>
#include <utility>

#include "heft/base/result.hpp"

namespace heft::cuda {

/// `what` was attempted with `status`: success, or an Error in CUDA's own words.
inline Result<Done> check(cudaError_t status, const char* where, const char* what) {
  if (status == cudaSuccess) return Done{};
  const char* remedy =
      status == cudaErrorMemoryAllocation ? "take shorter logs or smaller batches at a time, or the CPU" : "";
  return Error{where, std::string(what) + ": " + cudaGetErrorString(status), remedy};
}

/// The first device. Error if none answers.
inline Result<cudaDeviceProp> find_device(const char* where) {
  int num_devices = 0;
  if (cudaGetDeviceCount(&num_devices) != cudaSuccess || num_devices == 0)
    return Error{where, "no CUDA device answers", "take the CPU, or check the driver with nvidia-smi"};
  cudaDeviceProp device{};
  HEFT_CHECK(check(cudaGetDeviceProperties(&device, 0), where, "device properties"));
  return device;
}

/// Owns a stream or an event; empty until one is moved in.
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
/// A queue of copies and launches; work in two of them goes on side by side.
using Stream = Owned<cudaStream_t, cudaStreamDestroy>;
/// A place in a queue that others wait for, or whose time is measured.
using Event = Owned<cudaEvent_t, cudaEventDestroy>;

inline Result<Stream> make_stream(const char* where) {
  cudaStream_t stream = nullptr;
  HEFT_CHECK(check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), where, "stream"));
  return Stream(stream);
}

/// `flags` as of cudaEventCreateWithFlags: cudaEventDefault measures time, cudaEventDisableTiming only waits.
inline Result<Event> make_event(const char* where, unsigned flags) {
  cudaEvent_t event = nullptr;
  HEFT_CHECK(check(cudaEventCreateWithFlags(&event, flags), where, "event"));
  return Event(event);
}

}  // namespace heft::cuda
