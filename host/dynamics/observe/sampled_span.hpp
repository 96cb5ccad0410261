// The recursion's step for a cluster whose screws turn with its coordinates q (recursion.hpp):
// spans over random q.
//
//   V  = span of X(q) V_parent and F(q)
//   K  = span of B(q)' K_parent and M(v, f) with v and f at the same q
//   N  = span of M and (B(q) - B(0))' K_parent
//
// Candidates of all positions compete for the next direction. Positions that join one by one would
// leave a direction with the rounding of the first position that shows it, however short its rest
// there.
#pragma once

#include "recursion.hpp"

namespace heft::identifiability {

/// Returns the spans of a cluster over so many random positions that half of them span the same.
ClusterSpan sampled_span_of(const Robot& robot, const Cluster& cluster, const ClusterSpan& parent,
                            const ObserveOptions& options);

}  // namespace heft::identifiability
