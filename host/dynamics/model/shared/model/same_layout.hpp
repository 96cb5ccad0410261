// Comparison of the moments' layouts of two plans: by names and structure, and by W up to rounding,
// so that sums from other builds and machines, whose last bits of W differ, can be added.
#pragma once

#include <string>

#include "heft/model/regressor_plan.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Largest difference of two entries of W (relative if above 1) that counts as rounding.
inline constexpr double kRegroupingTolerance = 1e-12;

/// Returns the name of a structural column: "forearm.hx", or that of an extra column.
std::string structural_name(const RegressorPlan& plan, int column);

/// Returns the first difference in words: "channel 3 is 'elbow' there, 'shoulder' here". Empty if
/// moments of the two plans can be added. Moments of a whitened plan can be added only to those of
/// the same plan.
std::string layout_difference(const RegressorPlan& here, const RegressorPlan& there);

}  // namespace heft
#pragma GCC visibility pop
