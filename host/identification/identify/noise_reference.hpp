// Reference for an answer's errors: the noise level of the logs themselves.
#pragma once

#include "evidence/excerpt.hpp"
#include "heft/identify/identify.hpp"

namespace heft {

/// Returns bounds of the torque noise, per channel and relative to all torques, from the residuals
/// of the answer on `excerpt`, taken from the logs used for validation. Errors: those of the
/// backend.
Result<Reference> noise_reference(const Identification& result, const Excerpt& excerpt,
                                  const ConditioningOptions& conditioning, Backend& backend);

}  // namespace heft
