// Device memory that frees itself, and CUDA errors as Errors: the edge between CUDA and Result<T>.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <utility>

#include "heft/result.hpp"

namespace heft::cuda {

/// `what` was attempted with `status`: success, or an Error in CUDA's own words.
inline Result<Done> check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return Done{};
  const char* remedy =
      status == cudaErrorMemoryAllocation ? "use shorter logs at a time, or the CPU backend" : "";
  return Error{"backend cuda", std::string(what) + ": " + cudaGetErrorString(status), remedy};
}

/// Owns an array of T in device memory; `allocate` and `upload` drop what it held before.
template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  DeviceArray(DeviceArray&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  DeviceArray& operator=(DeviceArray&& other) noexcept { return std::swap(data_, other.data_), *this; }
  ~DeviceArray() { cudaFree(data_); }

  Result<Done> allocate(std::size_t count) {
    cudaFree(std::exchange(data_, nullptr));
    return check(cudaMalloc(reinterpret_cast<void**>(&data_), count * sizeof(T)), "device memory");
  }
  Result<Done> upload(const T* values, std::size_t count) {
    HEFT_CHECK(allocate(count == 0 ? 1 : count));
    return check(cudaMemcpy(data_, values, count * sizeof(T), cudaMemcpyHostToDevice), "copy to device");
  }
  Result<Done> download(T* values, std::size_t count) const {
    return check(cudaMemcpy(values, data_, count * sizeof(T), cudaMemcpyDeviceToHost), "copy from device");
  }
  T* data() const { return data_; }

 private:
  T* data_ = nullptr;
};

}  // namespace heft::cuda
