// Memory of batches on the device, and what CUDA says as Errors: the edge between CUDA and Result<T>.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <string>

#include "heft/result.hpp"

namespace heft::cuda {

/// `what` was attempted with `status`: success, or an Error in CUDA's own words.
inline Result<Done> succeeded(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return Done{};
  const char* remedy = status == cudaErrorMemoryAllocation ? "take smaller batches, or the CPU" : "";
  return Error{"batch on cuda", std::string(what) + ": " + cudaGetErrorString(status), remedy};
}

/// The first device. Error if none answers.
inline Result<cudaDeviceProp> find_device() {
  int num_devices = 0;
  if (cudaGetDeviceCount(&num_devices) != cudaSuccess || num_devices == 0)
    return Error{"batch on cuda", "no CUDA device answers",
                 "take the CPU, or check the driver with nvidia-smi"};
  cudaDeviceProp device{};
  HEFT_CHECK(succeeded(cudaGetDeviceProperties(&device, 0), "device properties"));
  return device;
}

/// A queue of copies and launches; work in two of them goes on side by side.
class Stream {
 public:
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() {
    if (stream_) cudaStreamDestroy(stream_);
  }

  Result<Done> create() {
    if (stream_) return Done{};
    return succeeded(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
  }
  Result<Done> wait() { return succeeded(cudaStreamSynchronize(stream_), "kernel"); }
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// An array of T on the device and, if asked for, its page-locked twin on the host. Only grows; what it held is lost
/// then.
template <class T>
class TwinArray {
 public:
  enum class Twin { none, on_host };

  TwinArray() = default;
  TwinArray(const TwinArray&) = delete;
  TwinArray& operator=(const TwinArray&) = delete;
  ~TwinArray() { release(); }

  Result<Done> reserve(std::size_t count, Twin twin = Twin::none) {
    if (count <= capacity_) return Done{};
    release();
    const std::size_t bytes = count * sizeof(T);
    HEFT_CHECK(succeeded(cudaMalloc(reinterpret_cast<void**>(&device_), bytes), "device memory"));
    if (twin == Twin::on_host)
      HEFT_CHECK(succeeded(cudaMallocHost(reinterpret_cast<void**>(&host_), bytes), "page-locked memory"));
    capacity_ = count;
    return Done{};
  }

  /// Between host() and device(), when its turn in the stream comes.
  Result<Done> upload(std::size_t count, const Stream& stream) {
    return succeeded(cudaMemcpyAsync(device_, host_, count * sizeof(T), cudaMemcpyHostToDevice, stream.get()),
                     "copy to device");
  }
  Result<Done> download(std::size_t count, const Stream& stream) {
    return succeeded(cudaMemcpyAsync(host_, device_, count * sizeof(T), cudaMemcpyDeviceToHost, stream.get()),
                     "copy from device");
  }
  /// Between other memory of the host and device().
  Result<Done> upload(const T* from, std::size_t count) {
    return succeeded(cudaMemcpy(device_, from, count * sizeof(T), cudaMemcpyHostToDevice), "copy to device");
  }
  Result<Done> download(T* to, std::size_t count) const {
    return succeeded(cudaMemcpy(to, device_, count * sizeof(T), cudaMemcpyDeviceToHost), "copy from device");
  }

  T* device() const { return device_; }
  T* host() const { return host_; }

 private:
  void release() {
    cudaFree(device_);
    cudaFreeHost(host_);
    device_ = host_ = nullptr;
    capacity_ = 0;
  }

  T *device_ = nullptr, *host_ = nullptr;
  std::size_t capacity_ = 0;
};

}  // namespace heft::cuda
