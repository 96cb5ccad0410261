// Converts PayloadLimits to constraints of the solver.
#pragma once

#include "heft/payload/payload.hpp"
#include "heft/solve/problem.hpp"

namespace heft::payload {

/// Rejects limits that a method does not support. auto, geo, cone, metric and pmd support all
/// limits; pmd places all mass inside the shape by construction.
Result<Done> refuse_limits(PayloadMethod method, const PayloadLimits& limits);

/// Errors: a density without the volume of a shape, an ellipsoid without a shape, contradictory
/// limits.
Result<Constraints> constraints_of(const PayloadOptions& options, const PayloadShape& shape);

/// Returns whether a body satisfies rows, to `rounding` relative to the terms of each.
bool keeps_to(const std::vector<LinearConstraint>& rows, const BodyParameters& x, double rounding);

/// Returns whether a body satisfies all constraints, up to rounding. Constraints of one body: mass,
/// center of mass, ellipsoid.
bool keeps_to(const Constraints& constraints, const BodyParameters& x);

}  // namespace heft::payload
