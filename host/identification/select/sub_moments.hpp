// Moments of fewer columns out of those of many: sub-blocks of the same sums, without another pass.
#pragma once

#include <vector>

#include "heft/moments/moments.hpp"
#include "training/folds.hpp"

namespace heft::select {

/// A plan of the same robot and channels with only those columns of `plan` that are named, in that
/// order. Error if one of them is not there.
Result<PlanPtr> plan_with_columns(const RegressorPlan& plan, const std::vector<Column>& columns);

/// `moments` without the columns that `plan` lacks; per channel, and `plan` from plan_with_columns.
Moments sub_moments(const Moments& moments, const PlanPtr& plan);

/// The same of every fold; what is held out may be of the plan's own channels where it trains on
/// whitened ones.
std::vector<Fold> sub_folds(const std::vector<Fold>& folds, const PlanPtr& plan);

}  // namespace heft::select
