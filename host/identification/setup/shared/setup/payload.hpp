// Torques of weighed payloads.
#pragma once

#include <vector>

#include "heft/setup/setup.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Returns the torque of every payload. Errors: a link that does not move; a payload without logs,
/// without mass or with an impossible inertia.
Result<std::vector<PayloadTorque>> make_payloads(const Robot& robot,
                                                 const std::vector<Channel>& channels,
                                                 const std::vector<KnownPayload>& payloads);

}  // namespace heft
#pragma GCC visibility pop
