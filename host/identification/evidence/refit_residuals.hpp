// Logs of which something large was undone, explained under the noise that is left then.
#pragma once

#include "profile.hpp"

namespace heft {

struct Left {
  Residuals training, held_out;
};

/// How much better logs are explained.
struct Better {
  double gain = 0;  ///< nats
  double fall = 0;  ///< log of the factor by which rms errors fall, their product over all joints
};

/// What the answer to `input` leaves, under weights of what is left; `answer` becomes it. Errors:
/// the backend's.
Result<Left> explained_anew(const HypothesisInput& input, const Workers& workers,
                            Explained& answer);

/// `before`, `after`: of the same rows.
Better better(const Excerpt& excerpt, const Residuals& before, const Residuals& after);

}  // namespace heft
