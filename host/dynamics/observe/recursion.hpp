// The Recursive Parameter Nullspace Algorithm [Wensing, Niemeyer, Slotine 2024], outward over
// clusters (FORMULAS 5):
//
//   V- = Cl({f x}, X V_parent)
//   V  = [V-  F]
//   K- = Cl({A(f)'}, B' K_parent)
//   K  = [K-  M(V, F)]
//   N  = [M(V, F)'; K-' A(f)]
//
// A cluster whose screws turn with its coordinates has no such operators; its spans are sampled
// (sampled_span.hpp).
//
// V spans the velocities that a cluster can have, gravity being one; K'pi is what would show of its
// inertia pi if all others were known; N pi is what its own joint adds, and null(N) what can move
// to the parent unnoticed. A cluster of n members has 6n velocities and 10n parameters.
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

/// Spans of all clusters, in their order; that of the world is what the base does. The robot is
/// normalized.
std::vector<ClusterSpan> recurse(const Robot& robot, const std::vector<Cluster>& clusters,
                                 const ObserveOptions& options);

/// Base parameters that each cluster contributes; their sum is the robot's. Bodies without
/// parameters and symmetric bodies take directions away: then inner joints may show nothing that
/// outer ones did not.
std::vector<int> base_parameter_counts(const Robot& robot, const std::vector<Cluster>& clusters,
                                       const std::vector<ClusterSpan>& spans, double tolerance);

/// Dimension of T: inertia that can move from a cluster to its parent unnoticed. A body without
/// parameters counts here as if it had all ten.
int transfer_dimension(const Robot& robot, const Cluster& cluster, const ClusterSpan& span,
                       double tolerance);

/// Rows that span everything identifiable, one per row of every N: N_ii = N_i and, for a descendant
/// j of i, N_ij = N_i,p(j) B_j. Columns are ten per body of the (normalized) robot.
Eigen::MatrixXd identifiable_rows(const Robot& robot, const std::vector<Cluster>& clusters,
                                  const std::vector<ClusterSpan>& spans);

/// Dimension of the span of the first rows of a basis: what one member sees of V or K.
int rank_of_first_rows(const Eigen::MatrixXd& basis, Eigen::Index count, double tolerance);

}  // namespace heft::identifiability
