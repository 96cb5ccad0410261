// Kinds of columns that the model lacks, by their share of the residuals.
//
// For a channel with residuals e and a feature f of its own joint's motion, the column explains at
// least (e'f)^2 / f'f of e'e: bodies and other columns stay fixed, so the share is a lower bound on
// training logs.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "heft/evidence/evidence.hpp"
#include "heft/model/regressor_plan.hpp"
#include "heft/model/samples.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Returns the kinds that explain at least a tenth of the squared errors, reflected inertia first.
/// `residuals` of every stretch are num_samples x num_channels; NaN where a row is not used.
std::vector<MissingTerm> missing_terms(const RegressorPlan& plan,
                                       const std::vector<Samples>& stretches,
                                       const std::vector<Eigen::ArrayXXd>& residuals);

}  // namespace heft
#pragma GCC visibility pop
