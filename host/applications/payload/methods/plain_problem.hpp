// The convex problem of one body as solvers of many problems have it.
#pragma once

#include "methods.hpp"

namespace heft::payload {

/// With the metric prior, but without the limits of the options, which most answers keep to by
/// themselves.
Result<Problem> plain_problem(const WeightedSums& sums, const BodyParameters& reference,
                              const ConvexOptions& options);

/// Its solution as solve_convex would answer; nothing if that has to: no optimum, not certified
/// where that is asked, or against a limit.
std::optional<ConvexAnswer> answer_of_plain(const Solution& solution, const WeightedSums& sums,
                                            const BodyParameters& reference,
                                            const ConvexOptions& options);

}  // namespace heft::payload
