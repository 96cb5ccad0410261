// The least clearance of a motion: for all times, or at samples.
//
// Between tm - h and tm + h joint k turns by no more than |qd_k(tm)| h + A_k h^2 / 2, A_k its
// largest acceleration. A link whose furthest point is rho_k from the axis of joint k at tm is
// displaced, the joints taken from the tip to the base, by
//
//   D <- D + |dq_k| (rho_k + D)
//
// against what carries them all, so that a pair is at least its distance at tm minus the D of both
// apart, until the joint that carries both. Distances are those of planes that part the corners of
// both hulls (hull.hpp); intervals are halved until nothing can be less than what was found by
// `tolerance`.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <vector>

#include "clearance/collision_model.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// A motion for all times from 0 to its duration.
struct MotionInTime {
  double duration = 0;  ///< [s]
  std::function<void(double, Eigen::VectorXd& q, Eigen::VectorXd& qd)> at;
  Eigen::VectorXd max_acceleration;  ///< of every coordinate, never exceeded
};

struct PairClearance {
  double value = 0;  ///< [m], no less at any time (or sample)
  double at_s = 0;
};

struct ClearanceFound {
  MinClearance least;  ///< without names if there are no pairs
  MinClearance worst;  ///< of the pair that lacks most of what it wants, or has least to spare
  std::vector<PairClearance> pairs;  ///< as CollisionModel::pairs: exact to `tolerance` where less
                                     ///< than what is wanted
};

/// `value` is a bound from below, less than what the motion reaches by at most 2 `tolerance` [m].
/// Where halving does not end, the answer is that of samples, and not proved.
ClearanceFound prove_clearance(const CollisionModel& model, const MotionInTime& motion,
                               double tolerance = 1e-4);

/// At the rows of positions; `time` are their times.
ClearanceFound sample_clearance(const CollisionModel& model, const Eigen::VectorXd& time,
                                const Eigen::ArrayXXd& position);

}  // namespace heft
#pragma GCC visibility pop
