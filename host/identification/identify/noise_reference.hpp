// What an answer's errors are measured by: the noise that the logs themselves show.
#pragma once

#include "evidence/excerpt.hpp"
#include "heft/identify/identify.hpp"

namespace heft {

/// Bounds of the torque's noise, per channel and relative to all torques, from what the answer
/// leaves over of `excerpt`: of the logs that it was judged by. Errors: those of the backend.
Result<Reference> noise_reference(const Identification& result, const Excerpt& excerpt,
                                  const ConditioningOptions& conditioning, Backend& backend);

}  // namespace heft
