// Findings of heft check that an option corrects, as hypotheses with the gain of correcting them.
#pragma once

#include <vector>

#include "evidence/hypotheses.hpp"
#include "workers.hpp"

namespace heft {

/// One a finding of `input.findings`, in their order, each beside those before it; without figures
/// where conditioned samples cannot be corrected, none where correcting them does not help. Errors:
/// the backend's.
Result<std::vector<Hypothesis>> mended_findings(const HypothesisInput& input,
                                                const Workers& workers);

}  // namespace heft
