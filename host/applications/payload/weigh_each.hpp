// Weighs one body per stretch: the loop over stretches, for sensors and joint torques.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "heft/payload/payload.hpp"
#include "payload/stretch_times.hpp"

namespace heft::payload {

/// Answer for stretch k alone.
using WeighStretch = std::function<Result<PayloadResult>(std::size_t k)>;
/// Additional body in stretch k relative to the first, whose body is `first`; empty if the mass
/// decreased.
using WeighAdded =
    std::function<std::optional<PayloadStretch::Added>(std::size_t k, const KnownTool& first)>;

/// Returns the answer for the last stretch, with the bodies and doubts of all; doubts begin with
/// the stretch's name. Errors: the first stretch that cannot be weighed, by name; stopped().
Result<PayloadResult> weigh_each(const std::vector<StretchTimes>& times, const WeighStretch& weigh,
                                 const WeighAdded& weigh_added);

}  // namespace heft::payload
