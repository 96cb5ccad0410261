// Rows of a body: their channels, the structure of their screws, and how the kernels compute them
// (core/tree.hpp).
#pragma once

#include "heft/model/regressor_plan.hpp"

namespace heft {

/// Rows and screws of body b: the parent's rows, then the channels that start here. A channel that
/// already came from the parent (mimic joints in one chain) gets the body's screw added to its row.
void add_rows(RegressorPlan& plan, int b);

}  // namespace heft
