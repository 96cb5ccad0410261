// What an answer itself gives reason to doubt, on a sensor and by joint torques alike.
#pragma once

#include <vector>

#include "heft/payload/payload.hpp"

namespace heft::payload {

/// No payload (the interval of the mass reaches zero, and no doubt of the result explains it), a
/// center of mass out of reach, one outside the shape, a density that no matter has. Needs the
/// answer, its intervals, frame, shape and options.
std::vector<PayloadDoubt> doubts_about_answer(const PayloadResult& result);

/// The doubt that shape and log contradict each other; none where no shape was given.
std::optional<PayloadDoubt> doubt_about_shape(const PayloadResult& result, bool prior_disagrees);

/// Where there is no payload, drops doubts that follow from its numbers, and what is left of a
/// wrench that is noise.
void drop_doubts_of_nothing(PayloadResult& result);

}  // namespace heft::payload
