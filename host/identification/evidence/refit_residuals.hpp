// Refits logs after a large correction, with the noise that remains.
#pragma once

#include "profile.hpp"

namespace heft {

struct Left {
  Residuals training, held_out;
};

/// Improvement of the explanation of logs.
struct Better {
  double gain = 0;  ///< nats
  double fall = 0;  ///< log of the factor by which rms errors decrease, multiplied over all joints
};

/// Returns the residuals of the answer to `input`, weighted by the remaining noise, and sets
/// `answer` to it. Errors: those of the backend.
Result<Left> explained_again(const HypothesisInput& input, const Workers& workers,
                             Explained& answer);

/// `before` and `after` must have the same rows.
Better better(const Excerpt& excerpt, const Residuals& before, const Residuals& after);

}  // namespace heft
