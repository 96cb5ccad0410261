// The Input and Workspace of core/regressor.hpp on the device: one sample, read by one thread, and its scratch, laid out
// with the thread index fastest, so that a warp's accesses fall side by side.
#pragma once

#include "heft/core/regressor.hpp"
#include "heft/core/sample_view.hpp"
#include "kernels/moments/gram_tiles.hpp"

namespace heft::cuda {

/// Samples past the end count with weight zero; `at` is then that of one that exists.
template <class Real>
struct SampleInput {
  const core::SampleView& view;
  const double* row_scale;  ///< factor of every channel's rows; null: one
  std::int64_t at;
  bool is_valid;
  bool is_weighted;  ///< else every row at weight one and no torque

  HEFT_HD Real load(const double* array, int column) const {
    return static_cast<Real>(array[column * view.stride + at]);
  }
  HEFT_HD Real position(int k) const { return load(view.position, k); }
  HEFT_HD Real velocity(int k) const { return load(view.velocity, k); }
  HEFT_HD Real acceleration(int k) const { return load(view.acceleration, k); }
  HEFT_HD Real base_motion(int i) const {
    return view.base_motion ? load(view.base_motion, i) : static_cast<Real>(view.base_constant[i]);
  }
  HEFT_HD Real torque(int c) const { return is_weighted && view.torque ? load(view.torque, c) : Real(0); }
  HEFT_HD Real signal(int s) const { return load(view.signal, s); }
  HEFT_HD Real weight(int c) const {
    if (!is_valid) return Real(0);
    if (!is_weighted) return Real(1);
    const Real own = view.weight ? load(view.weight, c) : Real(1);
    return row_scale ? own * static_cast<Real>(row_scale[c]) : own;
  }
};

/// Scalar i of one thread.
template <class Real>
struct StridedWorkspace {
  Real* first;
  HEFT_HD Real& operator()(std::ptrdiff_t i) { return first[i * kThreads]; }
};

/// Doubles of a block for the samples of a motion: position, velocity and acceleration of every coordinate.
HEFT_HD std::int64_t motion_block_size(int num_coordinates) {
  return std::int64_t{3} * num_coordinates * kThreads;
}

/// Evaluates sample `index` of a motion (heft/fourier_motion.hpp) into place `thread` of a block.
HEFT_HD void put_motion(const core::FourierView& motion, std::int64_t index, int thread, double* block) {
  const int n = motion.num_coordinates;
  double *const position = block + thread, *const velocity = position + std::int64_t{n} * kThreads,
                *const acceleration = velocity + std::int64_t{n} * kThreads;
  for (int k = 0; k < n; ++k) {
    position[k * kThreads] = motion.centre[k];
    velocity[k * kThreads] = acceleration[k * kThreads] = 0;
  }
  const double time = motion.begin + motion.step * static_cast<double>(index);
  for (int h = 0; h < motion.num_harmonics; ++h) {
    const double w = (h + 1) * motion.frequency;
    double sine, cosine;
    core::sin_cos(w * time, sine, cosine);
    for (int k = 0; k < n; ++k) {
      const double a = motion.sine[k * motion.num_harmonics + h],
                   b = motion.cosine[k * motion.num_harmonics + h];
      position[k * kThreads] += a * sine + b * cosine;
      velocity[k * kThreads] += w * (a * cosine - b * sine);
      acceleration[k * kThreads] -= w * w * (a * sine + b * cosine);
    }
  }
}

/// The samples of a motion in its block, as arrays.
HEFT_HD core::SampleView motion_view(const core::SampleView& base, int num_coordinates, const double* block) {
  core::SampleView view = base;
  view.position = block;
  view.velocity = view.position + std::int64_t{num_coordinates} * kThreads;
  view.acceleration = view.velocity + std::int64_t{num_coordinates} * kThreads;
  view.stride = kThreads;
  return view;
}

}  // namespace heft::cuda
