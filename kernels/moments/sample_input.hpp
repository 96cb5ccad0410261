// The Input and Workspace of core/regressor.hpp on the device: one sample, read by one thread, and
// its scratch memory, with the thread index varying fastest, so that the accesses of a warp are
// adjacent.
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
  bool is_weighted;  ///< else every row at weight one and no torque

  HEFT_HD Real load(const double* array, int column) const {
    return static_cast<Real>(in_global(array)[column * view.stride + at]);
  }
  HEFT_HD Real position(int k) const { return load(view.position, k); }
  HEFT_HD Real velocity(int k) const { return load(view.velocity, k); }
  HEFT_HD Real acceleration(int k) const { return load(view.acceleration, k); }
  HEFT_HD Real base_motion(int i) const {
    return view.base_motion ? load(view.base_motion, i) : static_cast<Real>(view.base_constant[i]);
  }
  HEFT_HD Real torque(int c) const {
    return is_weighted && view.torque ? load(view.torque, c) : Real(0);
  }
  HEFT_HD Real signal(int s) const { return load(view.signal, s); }
  HEFT_HD Real weight(int c) const {
    if (!is_valid) return Real(0);
    if (!is_weighted) return Real(1);
    const Real own = view.weight ? load(view.weight, c) : Real(1);
    return row_scale ? own * static_cast<Real>(in_global(row_scale)[c]) : own;
  }
};

/// Data of a sample's joints that all warps of a group need and one of them computes: sine and
/// cosine of every body's angle, velocity and acceleration of every coordinate, `stride` scalars
/// apart.
template <class Real>
struct JointNumbers {
  Real* first;
  int stride;
  int num_bodies;

  HEFT_HD static int count(const core::TreeView& tree) {
    return 2 * (tree.num_bodies + tree.num_coordinates);
  }
  HEFT_HD Real& sine(int body) const { return first[2 * body * stride]; }
  HEFT_HD Real& cosine(int body) const { return first[(2 * body + 1) * stride]; }
  HEFT_HD Real& velocity(int k) const { return first[2 * (num_bodies + k) * stride]; }
  HEFT_HD Real& acceleration(int k) const { return first[(2 * (num_bodies + k) + 1) * stride]; }
};

/// A sample with precomputed joints, as a share reads it; channels are those of the share.
template <class Real>
struct JointInput : SampleInput<Real> {
  const int* channels;            ///< what they are in the robot
  const core::BodyEntry* bodies;  ///< the share's
  const int* body_indices;
  JointNumbers<Real> joints;

  HEFT_HD Real torque(int c) const { return SampleInput<Real>::torque(channels[c]); }
  HEFT_HD Real weight(int c) const { return SampleInput<Real>::weight(channels[c]); }
  HEFT_HD Real velocity(int k) const { return joints.velocity(k); }
  HEFT_HD Real acceleration(int k) const { return joints.acceleration(k); }
};

/// Takes precedence over that of core/motion.hpp.
template <class Scalar>
HEFT_HD void joint_angle(const core::BodyEntry& body, const JointInput<Scalar>& in, Scalar& sine,
                         Scalar& cosine) {
  const int b = in.body_indices[&body - in.bodies];
  sine = in.joints.sine(b);
  cosine = in.joints.cosine(b);
}

/// Scalar i of one thread.
template <class Real>
struct StridedWorkspace {
  Real* first;
  HEFT_HD Real& operator()(std::ptrdiff_t i) { return first[i * kThreads]; }
};

}  // namespace heft::cuda
