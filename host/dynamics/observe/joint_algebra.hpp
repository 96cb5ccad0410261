// The operators that the motion of one joint generates on a stack of motion vectors or inertias.
//
// A subspace is invariant under O = blkdiag(n_a O_a), one block per member with its gear ratio n_a,
// if and only if it is invariant under all polynomials in O. Powers of O separate a slow link from
// a fast rotor badly: each costs a factor n. O is therefore split into the operators that its
// polynomials span:
//
//   P_w   projections on the parts that turn at the angular frequencies w = 0, n_a and, of
//         inertias, 2 n_a,
//         per unit of the coordinate; equal frequencies of several members stay together
//   Q_w   the quarter turns on those parts
//   O_n   the nilpotent part: slides, and the pitch of helical joints
//
// With S the unit rotation's operator on one member, on motion vectors
//
//   P_0 = 1 + S^2
//   P_1 = -S^2
//
// and on inertias
//
//   P_0 = (S^2 + 1) (S^2 + 4) / 4
//   P_1 = -S^2 (S^2 + 4) / 3
//   P_2 = S^2 (S^2 + 1) / 12
#pragma once

#include <vector>

#include "clusters.hpp"

namespace heft::identifiability {

struct JointAlgebra {
  std::vector<Eigen::MatrixXd> generators;  ///< invariant under these is invariant under O
  std::vector<Eigen::MatrixXd> rates;  ///< on an invariant subspace their images span that of O
};

/// On motion vectors: O_a = f_a x, 6n x 6n.
JointAlgebra motion_algebra(const Cluster& cluster);

/// On inertias: O_a = A(f_a), 10n x 10n.
JointAlgebra inertia_algebra(const Cluster& cluster);

}  // namespace heft::identifiability
