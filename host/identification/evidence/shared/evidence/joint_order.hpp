// Estimates the order of the columns of similar groups of joints, such as legs or arms. Torques of
// a group depend on its own motion and on that of the base, so K - 1 solutions, in which every
// group reads the columns of another, give the likelihood of all K! orders.
#pragma once

#include <optional>

#include "check/joint_orders.hpp"
#include "evidence/hypotheses.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Returns the order that explains the training logs best and, among several equal ones, moves the
/// fewest joints; empty if no other order explains them clearly better. Errors: those of the
/// backend and of solving; stopped().
Result<std::optional<JointOrder>> likely_order(const HypothesisInput& input, int num_threads,
                                               const Progress& progress = {});

}  // namespace heft
#pragma GCC visibility pop
