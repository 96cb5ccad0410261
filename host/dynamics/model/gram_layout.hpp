// Layout of the products of columns in the moments: panels, their positions in a slab, and blocks
// (core/tree.hpp).
#pragma once

#include <vector>

#include "heft/model/regressor_plan.hpp"

namespace heft {

/// Returns which of a body's `columns` are nonzero in a row of this kind.
core::ColumnSet felt_columns(core::ColumnSet columns, core::ScrewKind kind);

/// Returns the position, among the columns of the body, of the k-th one that is nonzero in the row.
int kept_position(core::ColumnSet columns, core::ScrewKind kind, int k);

/// Fills panels, panel_rows, panel_columns and blocks of a plan with complete rows, channels and
/// features, and their positions. `first_structural[b]` is the first structural column of body b.
void lay_out_gram(RegressorPlan& plan, const std::vector<int>& first_structural);

}  // namespace heft
