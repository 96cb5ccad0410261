// Recursion step for a cluster whose screws depend on its coordinates q (recursion.hpp): spans over
// random q.
//
//   V  = span of X(q) V_parent and F(q)
//   K  = span of B(q)' K_parent and M(v, f) with v and f at the same q
//   N  = span of M and (B(q) - B(0))' K_parent
//
// Candidates from all positions compete for the next direction. Adding positions one by one would
// give a direction the rounding error of the first position that contains it, however small its
// remainder there.
#pragma once

#include "recursion.hpp"

namespace heft::identifiability {

/// Returns the spans of a cluster over enough random positions that half of them give the same
/// spans.
ClusterSpan sampled_span_of(const Robot& robot, const Cluster& cluster, const ClusterSpan& parent,
                            const ObserveOptions& options);

}  // namespace heft::identifiability
