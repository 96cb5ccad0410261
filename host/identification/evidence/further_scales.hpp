// Torque constants that are wrong in several joints at once: one after the other, each on logs
// without those before.
#pragma once

#include "evidence/hypotheses.hpp"
#include "workers.hpp"

namespace heft {

/// A hypothesis of one torque's factor whose option has the factors of other joints, too, as long
/// as each gains much on training and held-out logs; its errors afterwards are those with all of
/// them. Unchanged if there is no other. Errors: those of test_hypotheses().
Result<Hypothesis> with_further_scales(const HypothesisInput& input, Hypothesis best,
                                       const Workers& workers);

}  // namespace heft
