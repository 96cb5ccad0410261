// In which order the columns of like groups of joints stand: legs, arms. Torques of one group
// depend on its own motion and on the base's, so that K - 1 solutions, in which every group reads
// the columns of another, give the likelihood of all K! orders.
#pragma once

#include <optional>

#include "check/joint_orders.hpp"
#include "evidence/hypotheses.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Returns the order that explains the training logs best, of several alike the one that moves the
/// fewest joints; nothing where no other order explains them clearly better. Errors: those of the
/// backend and of solving; stopped().
Result<std::optional<JointOrder>> likely_order(const HypothesisInput& input, int num_threads,
                                               const Progress& progress = {});

}  // namespace heft
#pragma GCC visibility pop
