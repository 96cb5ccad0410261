// Which products of columns the moments consist of: panels, their places in a slab, and blocks
// (core/tree.hpp).
#pragma once

#include <vector>

#include "heft/model/regressor_plan.hpp"

namespace heft {

/// The columns of a body that keeps `columns` which a row of this kind feels.
core::ColumnSet felt_columns(core::ColumnSet columns, core::ScrewKind kind);

/// Position among the columns that the body keeps of the k-th that the row feels.
int kept_position(core::ColumnSet columns, core::ScrewKind kind, int k);

/// Fills panels, panel_rows, panel_columns and blocks of a plan whose rows, channels and features
/// are laid out, and the places of its rows and features in them. `first_structural[b]` is the
/// structural column where body b's begin.
void lay_out_gram(RegressorPlan& plan, const std::vector<int>& first_structural);

}  // namespace heft
