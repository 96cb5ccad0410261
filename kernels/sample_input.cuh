// The Input and Workspace of core/regressor.hpp on the device: one sample, read by one thread, and its
// scratch, laid out with the thread index fastest, so that a warp's accesses fall side by side.
#pragma once

#include "heft/core/regressor.hpp"
#include "heft/core/sample_view.hpp"

namespace heft::cuda {

/// Past the end the last sample stands in, with weight zero.
struct SampleInput {
  core::SampleView view;
  std::int64_t at;
  bool is_valid;

  __device__ double load(const double* array, int column) const { return array[column * view.stride + at]; }
  __device__ double position(int k) const { return load(view.position, k); }
  __device__ double velocity(int k) const { return load(view.velocity, k); }
  __device__ double acceleration(int k) const { return load(view.acceleration, k); }
  __device__ double base_motion(int i) const {
    return view.base_motion ? load(view.base_motion, i) : view.base_constant[i];
  }
  __device__ double torque(int c) const { return view.torque ? load(view.torque, c) : 0.0; }
  __device__ double weight(int c) const { return !is_valid ? 0.0 : view.weight ? load(view.weight, c) : 1.0; }
  __device__ double signal(int s) const { return load(view.signal, s); }
};

/// The same with every row at weight one and no torque.
struct UnweightedInput : SampleInput {
  __device__ double torque(int) const { return 0.0; }
  __device__ double weight(int) const { return 1.0; }
};

/// Scalar i of one thread, stride = threads of the block.
struct StridedWorkspace {
  double* first;
  int stride;
  __device__ double& operator()(std::ptrdiff_t i) { return first[i * stride]; }
};

}  // namespace heft::cuda
