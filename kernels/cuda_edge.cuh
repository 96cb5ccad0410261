// Interface between CUDA and Result<T>: CUDA errors as Errors, the selected device, and handles
// that free themselves. `where` is the location in an Error: the moments backend or batches of the
// solver.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <string>
#include <utility>

#include "heft/base/result.hpp"

namespace heft::cuda {

/// Returns the remedy for a CUDA error; empty if there is no specific one.
inline const char* remedy_for(cudaError_t status) {
  switch (status) {
    case cudaErrorMemoryAllocation:
      return "use shorter logs or smaller batches, or the CPU";
    case cudaErrorNoKernelImageForDevice:
      return "use the CPU: the device is older than compute capability 8.0";
    case cudaErrorUnsupportedPtxVersion:
      return "install a newer driver, or use the CPU";
    default:
      return "";
  }
}

/// Returns success, or an Error from `what` and CUDA's description of `status`. Clears the error
/// that CUDA keeps for the thread, so that later calls do not report it again.
inline Result<Done> check(cudaError_t status, const char* where, const char* what) {
  if (status == cudaSuccess) return Done{};
  static_cast<void>(cudaGetLastError());
  return Error{where, std::string(what) + ": " + cudaGetErrorString(status), remedy_for(status)};
}

/// "12.4" for 12040.
inline std::string version_name(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// Returns the latest CUDA version that the driver supports, in CUDA's encoding: 12040 is 12.4.
/// Zero if no driver is installed.
inline int driver_version() {
  int version = 0;
  if (cudaDriverGetVersion(&version) == cudaSuccess) return version;
  static_cast<void>(cudaGetLastError());
  return 0;
}

/// Returns the first device. Error if none responds, with the reason: there is no device, or the
/// driver is too old.
inline Result<cudaDeviceProp> find_device(const char* where) {
  int num_devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&num_devices);
  if (status == cudaErrorInsufficientDriver && driver_version() > 0) {
    static_cast<void>(cudaGetLastError());
    const std::string wanted = version_name(CUDART_VERSION);
    return Error{where,
                 "the CUDA driver is too old: it supports CUDA " + version_name(driver_version()) +
                     ", but Heft was built with " + wanted,
                 "install a driver for CUDA " + wanted + " or newer, or use the CPU"};
  }
  if (num_devices == 0 &&
      (status == cudaSuccess || status == cudaErrorNoDevice || driver_version() == 0)) {
    static_cast<void>(cudaGetLastError());
    return Error{where, "no CUDA device responds",
                 "use the CPU, or check the driver with nvidia-smi"};
  }
  HEFT_CHECK(check(status, where, "count of devices"));
  cudaDeviceProp device{};
  HEFT_CHECK(check(cudaGetDeviceProperties(&device, 0), where, "device properties"));
  return device;
}

/// Whether there is a device, or at least a driver that does not rule it out, so that a message
/// must say why it is not used.
inline bool may_have_device() {
  int num_devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&num_devices);
  static_cast<void>(cudaGetLastError());
  return driver_version() > 0 && status != cudaErrorNoDevice;
}

/// Launches kernel(arguments..) and returns the status of this launch. Does not use <<< >>> and
/// cudaGetLastError, which also returns earlier errors of other code in this thread.
template <class... Arguments>
cudaError_t launch_kernel(void (*kernel)(Arguments...), dim3 grid, int num_threads,
                          std::size_t shared_bytes, cudaStream_t stream, Arguments... arguments) {
  void* places[] = {&arguments...};
  return cudaLaunchKernel(reinterpret_cast<const void*>(kernel), grid,
                          dim3(static_cast<unsigned>(num_threads)), places, shared_bytes, stream);
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
/// A queue of copies and launches; work in different queues runs concurrently.
using Stream = Owned<cudaStream_t, cudaStreamDestroy>;
/// A position in a queue that other queues wait for, or whose time is measured.
using Event = Owned<cudaEvent_t, cudaEventDestroy>;

inline Result<Stream> make_stream(const char* where) {
  cudaStream_t stream = nullptr;
  HEFT_CHECK(check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), where, "stream"));
  return Stream(stream);
}

/// `flags` as of cudaEventCreateWithFlags: cudaEventDefault measures time, cudaEventDisableTiming
/// only waits.
inline Result<Event> make_event(const char* where, unsigned flags) {
  cudaEvent_t event = nullptr;
  HEFT_CHECK(check(cudaEventCreateWithFlags(&event, flags), where, "event"));
  return Event(event);
}

}  // namespace heft::cuda
