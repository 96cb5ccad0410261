// Doubts that follow from an answer itself, for both sensors and joint torques.
#pragma once

#include <vector>

#include "heft/payload/payload.hpp"

namespace heft::payload {

/// No payload (the interval of the mass includes zero and no doubt of the result explains it), a
/// center of mass out of reach or outside the shape, an impossible density. Needs the answer, its
/// intervals, frame, shape and options.
std::vector<PayloadDoubt> doubts_about_answer(const PayloadResult& result);

/// Returns the doubt that shape and log contradict each other; empty without a shape.
std::optional<PayloadDoubt> doubt_about_shape(const PayloadResult& result, bool prior_disagrees);

/// If there is no payload, drops doubts that follow from its numbers or from a residual wrench that
/// is noise.
void drop_doubts_of_nothing(PayloadResult& result);

}  // namespace heft::payload
