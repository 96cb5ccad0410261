// The Block of moments/block_programs.hpp and solve/phases.hpp on a device; tests emulate it on the
// host.
#pragma once

namespace heft::cuda {

/// Runs work(thread) on each of its `kSize` threads: together() lets no thread continue before all
/// are done; with apart(), no thread waits until wait().
template <int kSize>
struct DeviceBlock {
  __device__ static constexpr int size() { return kSize; }
  /// Data that every thread keeps between steps; of(thread) is that of one thread.
  template <class T>
  struct Own {
    T value;
    __device__ T& of(int) { return value; }
  };
  template <class Work>
  __device__ void together(const Work& work) const {
    apart(work);
    wait();
  }
  template <class Work>
  __device__ void apart(const Work& work) const {
    work(static_cast<int>(threadIdx.x));
  }
  __device__ void wait() const { __syncthreads(); }
};

}  // namespace heft::cuda
