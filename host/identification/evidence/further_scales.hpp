// Wrong torque constants in several joints: found one after the other, each on logs corrected for
// the previous ones.
#pragma once

#include "evidence/hypotheses.hpp"
#include "profile.hpp"

namespace heft {

/// Returns a hypothesis about one torque factor whose option also includes factors of other joints,
/// as long as each gains significantly on training and held-out logs; its errors afterwards are
/// those with all factors. Unchanged if there is no other. `profile`: of the logs as they are.
/// Errors: those of test_hypotheses().
Result<Hypothesis> with_further_scales(const Profile& profile, Hypothesis best);

}  // namespace heft
