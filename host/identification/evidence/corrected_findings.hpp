// Converts findings of heft check that an option corrects to hypotheses, with the gain of the
// correction.
#pragma once

#include <vector>

#include "evidence/hypotheses.hpp"
#include "workers.hpp"

namespace heft {

/// Returns one per finding of `input.findings`, in their order, each tested together with the
/// previous ones; without numbers if conditioned samples cannot be corrected, omitted if the
/// correction does not help. Errors: those of the backend.
Result<std::vector<Hypothesis>> corrected_findings(const HypothesisInput& input,
                                                   const Workers& workers);

}  // namespace heft
