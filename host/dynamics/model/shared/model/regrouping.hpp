// What a joint cannot feel: the part of a body's inertia that its own motion leaves unchanged as
// seen from the parent, and that its own screw does no work on. A constant linear map takes it to
// the parent's inertia, so the child's columns for it need not be computed (FORMULAS 1).
#pragma once

#include <array>
#include <vector>

#include "heft/model/regressor_plan.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Columns that a body of this joint type keeps when everything else is handed on to its parent.
core::ColumnSet kept_columns(JointType type);

/// An entry of the pseudo-inertia in the kernel frame and the column that it is part of.
struct KeptEntry {
  int column;
  core::KernelEntry entry;
};

/// The kept entries; columns are in the order in which the kernels write them.
std::vector<KeptEntry> kept_entries(core::ColumnSet columns);

/// Row and column of an entry in the 4x4 pseudo-inertia.
std::array<int, 2> position_of(core::KernelEntry entry);

/// Structural column where every body's begin, and their number.
std::vector<int> first_structural_columns(const RegressorPlan& plan);

/// Structural columns from parameters: every unit parameter is turned into its kernel frame; what
/// the joint keeps stays, the rest moves on to the parent, and so forth to the base, which feels
/// nothing.
Eigen::SparseMatrix<double> regrouping_matrix(const RegressorPlan& plan);

}  // namespace heft
#pragma GCC visibility pop
