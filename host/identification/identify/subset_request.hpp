// A part of a request that is read quickly.
#pragma once

#include <cstdint>
#include <memory>

#include "heft/identify/identify.hpp"

namespace heft {

/// Returns the request limited to the first rows of logs spread over its list, about `most_rows` in
/// total, with equal torque weights.
IdentifyRequest subset_request(const IdentifyRequest& request, std::int64_t most_rows,
                               std::shared_ptr<Executor> executor);

}  // namespace heft
