// Regrouping: the part of a body's inertia that a joint cannot sense, because the joint's motion
// leaves it unchanged as seen from the parent and its screw does no work on it. A constant linear
// map transfers it to the parent's inertia, so the child's columns for it need not be computed
// (FORMULAS 1).
#pragma once

#include <array>
#include <vector>

#include "heft/model/regressor_plan.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Returns the columns that a body with this joint type keeps when all others are transferred to
/// its parent.
core::ColumnSet kept_columns(JointType type);

/// An entry of the pseudo-inertia in the kernel frame, and the column that contains it.
struct KeptEntry {
  int column;
  core::KernelEntry entry;
};

/// Returns the kept entries, with columns in the order in which the kernels write them.
std::vector<KeptEntry> kept_entries(core::ColumnSet columns);

/// Returns row and column of an entry in the 4x4 pseudo-inertia.
std::array<int, 2> position_of(core::KernelEntry entry);

/// Returns the first structural column of every body, followed by their total number.
std::vector<int> first_structural_columns(const RegressorPlan& plan);

/// Returns the map from parameters to structural columns. Every unit parameter is transformed into
/// its kernel frame; entries that the joint keeps stay, and the others are transferred to the
/// parent, and so on to the base, which senses nothing.
Eigen::SparseMatrix<double> regrouping_matrix(const RegressorPlan& plan);

}  // namespace heft
#pragma GCC visibility pop
