// The Input and Workspace of core/regressor.hpp on the device: one sample, read by one thread, and its scratch, laid out
// with the thread index fastest, so that a warp's accesses fall side by side.
#pragma once

#include "gram_tiles.hpp"
#include "heft/core/regressor.hpp"
#include "heft/core/sample_view.hpp"
#include "memory_space.hpp"

namespace heft::cuda {

/// Samples past the end count with weight zero; `at` is then that of one that exists.
template <class Real>
struct SampleInput {
  const core::SampleView& view;
  const double* row_scale;  ///< factor of every channel's rows; null: one
  std::int64_t at;
  bool is_valid;
  bool is_weighted;     ///< else every row at weight one and no torque
  const int* channels;  ///< what channel the c-th is that is asked for; null: c

  HEFT_HD Real load(const double* array, int column) const {
    return static_cast<Real>(in_global(array)[column * view.stride + at]);
  }
  HEFT_HD Real position(int k) const { return load(view.position, k); }
  HEFT_HD Real velocity(int k) const { return load(view.velocity, k); }
  HEFT_HD Real acceleration(int k) const { return load(view.acceleration, k); }
  HEFT_HD Real base_motion(int i) const {
    return view.base_motion ? load(view.base_motion, i) : static_cast<Real>(view.base_constant[i]);
  }
  HEFT_HD int channel(int c) const { return channels ? channels[c] : c; }
  HEFT_HD Real torque(int c) const {
    return is_weighted && view.torque ? load(view.torque, channel(c)) : Real(0);
  }
  HEFT_HD Real signal(int s) const { return load(view.signal, s); }
  HEFT_HD Real weight(int c) const {
    if (!is_valid) return Real(0);
    if (!is_weighted) return Real(1);
    const Real own = view.weight ? load(view.weight, channel(c)) : Real(1);
    return row_scale ? own * static_cast<Real>(in_global(row_scale)[channel(c)]) : own;
  }
};

/// A sample whose angles of joints are there already: the warps of a group share their sines and cosines.
template <class Real>
struct AngledInput : SampleInput<Real> {
  const core::BodyEntry* bodies;  ///< the share's
  const int* body_indices;
  const Real* angles;  ///< of the sample: sine and cosine of body after body
  int stride;          ///< from one number to the next
};

/// Takes precedence over that of core/motion.hpp.
template <class Scalar>
HEFT_HD void joint_angle(const core::BodyEntry& body, const AngledInput<Scalar>& in, Scalar& sine,
                         Scalar& cosine) {
  const Scalar* const place = in.angles + 2 * in.body_indices[&body - in.bodies] * in.stride;
  sine = place[0];
  cosine = place[in.stride];
}

/// Scalar i of one thread.
template <class Real>
struct StridedWorkspace {
  Real* first;
  HEFT_HD Real& operator()(std::ptrdiff_t i) { return first[i * kThreads]; }
};

}  // namespace heft::cuda
