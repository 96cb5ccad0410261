// The convex problem of one body in the form of the batch solvers.
#pragma once

#include "methods.hpp"

namespace heft::payload {

/// With the metric prior, but without the limits of the options, which most answers satisfy anyway.
Result<Problem> plain_problem(const WeightedSums& sums, const BodyParameters& reference,
                              const ConvexOptions& options);

/// Converts its solution to the form of solve_convex. Empty if solve_convex is needed: no optimum,
/// no certificate although one is requested, or a violated limit.
std::optional<ConvexAnswer> answer_of_plain(const Solution& solution, const WeightedSums& sums,
                                            const BodyParameters& reference,
                                            const ConvexOptions& options);

}  // namespace heft::payload
