// Every k-th sample of stretches whose signals are low-passed: the samples between them repeat what
// these say.
#pragma once

#include "evidence/hypotheses.hpp"

namespace heft {

/// Returns the largest step between samples of the training logs that loses nothing; 1 without a
/// low-pass or for filtered rows.
Eigen::Index step_of(const HypothesisInput& input);

/// Returns every `step`-th row.
Eigen::ArrayXXd thinned(const Eigen::ArrayXXd& numbers, Eigen::Index step);

/// Returns every `step`-th sample. A step above 1 requires samples without filtered rows.
Samples thinned(const Samples& stretch, Eigen::Index step);

}  // namespace heft
