// What the rules of heft check found and an option mends, as hypotheses: what undoing it buys.
#pragma once

#include <vector>

#include "evidence/hypotheses.hpp"
#include "workers.hpp"

namespace heft {

/// One a finding of `input.findings`, in their order, each beside those before it; without figures where conditioned samples
/// cannot be mended, none where mending them does not help. Errors: the backend's.
Result<std::vector<Hypothesis>> mended_findings(const HypothesisInput& input, const Workers& workers);

}  // namespace heft
