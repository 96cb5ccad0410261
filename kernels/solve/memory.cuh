// Memory of batches on the device and on the host.
#pragma once

#include <cstddef>

#include "../cuda_edge.cuh"
#include "kernels/device_errors.hpp"

namespace heft::cuda {

/// An array of T on the device and, if requested, a page-locked copy on the host. It only grows,
/// which discards its contents.
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
    HEFT_CHECK(check(cudaMalloc(reinterpret_cast<void**>(&device_), bytes), kBatchOnCuda,
                     "device memory"));
    if (twin == Twin::on_host)
      HEFT_CHECK(check(cudaMallocHost(reinterpret_cast<void**>(&host_), bytes), kBatchOnCuda,
                       "page-locked memory"));
    capacity_ = count;
    return Done{};
  }

  /// Copies between host() and device(), in the order of the stream.
  Result<Done> upload(std::size_t count, const Stream& stream) {
    return check(
        cudaMemcpyAsync(device_, host_, count * sizeof(T), cudaMemcpyHostToDevice, stream.get()),
        kBatchOnCuda, "copy to device");
  }
  Result<Done> download(std::size_t count, const Stream& stream) {
    return check(
        cudaMemcpyAsync(host_, device_, count * sizeof(T), cudaMemcpyDeviceToHost, stream.get()),
        kBatchOnCuda, "copy from device");
  }
  /// Copies between other host memory and device().
  Result<Done> upload(const T* from, std::size_t count) {
    return check(cudaMemcpy(device_, from, count * sizeof(T), cudaMemcpyHostToDevice), kBatchOnCuda,
                 "copy to device");
  }
  Result<Done> download(T* to, std::size_t count) const {
    return check(cudaMemcpy(to, device_, count * sizeof(T), cudaMemcpyDeviceToHost), kBatchOnCuda,
                 "copy from device");
  }

  T* device() const { return device_; }
  T* host() const { return host_; }

  void release() {
    cudaFree(device_);
    cudaFreeHost(host_);
    device_ = host_ = nullptr;
    capacity_ = 0;
  }

 private:
  T *device_ = nullptr, *host_ = nullptr;
  std::size_t capacity_ = 0;
};

}  // namespace heft::cuda
