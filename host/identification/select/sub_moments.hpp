// Extracts moments of fewer columns: sub-blocks of the same sums, without another pass.
#pragma once

#include <vector>

#include "heft/moments/moments.hpp"
#include "training/folds.hpp"

namespace heft::select {

/// Returns a plan of the same robot and channels with only the named columns of `plan`, in that
/// order. Error: a column that does not exist.
Result<PlanPtr> plan_with_columns(const RegressorPlan& plan, const std::vector<Column>& columns);

/// Removes from `moments` the columns that `plan`, from plan_with_columns, lacks; per channel.
Moments sub_moments(const Moments& moments, const PlanPtr& plan);

/// Does the same for every fold; held-out moments may use the plan's own channels although training
/// uses whitened ones.
std::vector<Fold> sub_folds(const std::vector<Fold>& folds, const PlanPtr& plan);

}  // namespace heft::select
