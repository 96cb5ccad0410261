// Why gains do not converge: torques that were measured at rest.
#pragma once

#include "heft/identify/identify.hpp"

namespace heft {

/// Returns the error of gains that still change by `change`. It names logs with a payload and
/// joints with a gain that do not move, whose torques at rest may hold brakes and friction.
Error diverging_gains(const IdentifyRequest& request, const ModelOptions& model, double change);

}  // namespace heft
