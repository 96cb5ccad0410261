// The Recursive Parameter Nullspace Algorithm [Wensing, Niemeyer, Slotine 2024], outward over
// clusters (FORMULAS 5):
//
//   V- = Cl({f x}, X V_parent)
//   V  = [V-  F]
//   K- = Cl({A(f)'}, B' K_parent)
//   K  = [K-  M(V, F)]
//   N  = [M(V, F)'; K-' A(f)]
//
// A cluster whose screws depend on its coordinates has no such operators; its spans are sampled
// (sampled_span.hpp).
//
// V spans the possible velocities of a cluster, including gravity; K'pi is identifiable if all
// other inertias are known; N pi is the contribution of its own joint, and null(N) can be moved to
// the parent without any effect. A cluster of n members has 6n velocities and 10n parameters.
#pragma once

#include <vector>

#include "clusters.hpp"
#include "normalized_robot.hpp"

namespace heft::identifiability {

struct ClusterSpan {
  Eigen::MatrixXd V;  ///< 6n x dim V, orthonormal columns
  Eigen::MatrixXd K;  ///< 10n x dim K, orthonormal columns
  Eigen::MatrixXd N;  ///< rank x 10n, orthonormal rows
};

/// Returns the spans of all clusters in order; that of the world is the motion of the base. The
/// robot must be normalized.
std::vector<ClusterSpan> recurse(const Robot& robot, const std::vector<Cluster>& clusters,
                                 const ObserveOptions& options);

/// Returns the number of base parameters that each cluster contributes; they sum to the robot's.
/// Bodies without parameters and symmetric bodies remove directions, so inner joints may add
/// nothing to outer ones.
std::vector<int> base_parameter_counts(const Robot& robot, const std::vector<Cluster>& clusters,
                                       const std::vector<ClusterSpan>& spans, double tolerance);

/// Returns the dimension of T: inertia that can move from a cluster to its parent without any
/// effect. Counts a body without parameters as if it had all ten.
int transfer_dimension(const Robot& robot, const Cluster& cluster, const ClusterSpan& span,
                       double tolerance);

/// Returns rows that span all identifiable directions, one per row of every N: N_ii = N_i and, for
/// a descendant j of i, N_ij = N_i,p(j) B_j. Columns are ten per body of the (normalized) robot.
Eigen::MatrixXd identifiable_rows(const Robot& robot, const std::vector<Cluster>& clusters,
                                  const std::vector<ClusterSpan>& spans);

/// Returns the dimension of the span of the first rows of a basis: the part of V or K for one
/// member.
int rank_of_first_rows(const Eigen::MatrixXd& basis, Eigen::Index count, double tolerance);

}  // namespace heft::identifiability
