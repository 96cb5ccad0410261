// Whether two plans lay their moments out alike: by names and structure, and by W up to rounding,
// so that sums of other builds and machines, whose last bits of W differ, still add up.
#pragma once

#include <string>

#include "heft/model/regressor_plan.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Largest difference of two entries of W, relative beyond 1, that is taken for rounding.
inline constexpr double kRegroupingTolerance = 1e-12;

/// Name of a structural column: "forearm.hx", or that of an extra column.
std::string structural_name(const RegressorPlan& plan, int column);

/// What differs first, in words with names: "channel 3 is 'elbow' there, 'shoulder' here". Empty if
/// moments of the two plans add up. Whitened plans add up with themselves only.
std::string layout_difference(const RegressorPlan& here, const RegressorPlan& there);

}  // namespace heft
#pragma GCC visibility pop
