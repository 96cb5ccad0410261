// Smallest clearance of a motion, for all times or at samples.
//
// Between tm - h and tm + h joint k rotates by at most |qd_k(tm)| h + A_k h^2 / 2, with A_k its
// largest acceleration. Let rho_k be the distance of a link's furthest point from the axis of joint
// k at tm. Visiting the joints from the tip to the base, the displacement of the link relative to
// the carrier of all these joints is bounded by
//
//   D <- D + |dq_k| (rho_k + D)
//
// so the distance of a pair is at least that at tm minus the D of both links, up to the joint that
// carries both. Distances are those of planes that separate the vertices of both hulls (hull.hpp).
// Intervals are halved until no distance can be below the smallest one found by more than
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
  Eigen::VectorXd max_acceleration;  ///< upper bound for every coordinate
};

/// The smallest distance of one pair.
struct PairClearance {
  double value = 0;  ///< [m], lower bound for all times (or samples)
  double at_s = 0;
};

/// The smallest distances of all pairs.
struct ClearanceFound {
  MinClearance least;  ///< without names if there are no pairs
  MinClearance worst;  ///< of the pair with the largest violation of its required distance, or the
                       ///< smallest reserve
  std::vector<PairClearance> pairs;  ///< same order as CollisionModel::pairs: accurate to
                                     ///< `tolerance` where below the required distance
};

/// Bounds the clearance for all times. `value` is a lower bound, at most 2 `tolerance` [m] below
/// the actual minimum. If halving does not converge, the result is that of samples and not proved.
ClearanceFound prove_clearance(const CollisionModel& model, const MotionInTime& motion,
                               double tolerance = 1e-4);

/// Computes the clearance at rows of positions with their times `time`.
ClearanceFound sample_clearance(const CollisionModel& model, const Eigen::VectorXd& time,
                                const Eigen::ArrayXXd& position);

}  // namespace heft
#pragma GCC visibility pop
