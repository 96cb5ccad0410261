// One body a stretch: the loop over stretches, whatever they are weighed by.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "heft/payload/payload.hpp"
#include "payload/stretch_times.hpp"

namespace heft::payload {

/// Answer to stretch k by itself.
using WeighStretch = std::function<Result<PayloadResult>(std::size_t k)>;
/// What is more there in stretch k than in the first, whose body is `first`; none where less is.
using WeighAdded =
    std::function<std::optional<PayloadStretch::Added>(std::size_t k, const KnownTool& first)>;

/// The answer to the last stretch, with the bodies of all and with their doubts, which begin with
/// the stretch's name. The first that cannot be weighed is an error, of that name; stopped().
Result<PayloadResult> weigh_each(const std::vector<StretchTimes>& times, const WeighStretch& weigh,
                                 const WeighAdded& weigh_added);

}  // namespace heft::payload
