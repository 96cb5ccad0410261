// PayloadLimits in the terms of the solver.
#pragma once

#include "heft/payload/payload.hpp"
#include "heft/solve/problem.hpp"

namespace heft::payload {

/// What a method cannot keep to is refused, not forgotten. auto, geo, cone, metric and pmd keep to
/// all limits, pmd with all mass in the shape as it is.
Result<Done> refuse_limits(PayloadMethod method, const PayloadLimits& limits);

/// Errors: a density without the volume of a shape, an ellipsoid without a shape, limits that
/// contradict each other.
Result<Constraints> constraints_of(const PayloadOptions& options, const PayloadShape& shape);

/// Whether a body keeps to rows, to `rounding` of what each sums up.
bool keeps_to(const std::vector<LinearConstraint>& rows, const BodyParameters& x, double rounding);

/// Whether a body keeps to all of them, to rounding. Constraints of one body: mass, center of mass,
/// ellipsoid.
bool keeps_to(const Constraints& constraints, const BodyParameters& x);

}  // namespace heft::payload
