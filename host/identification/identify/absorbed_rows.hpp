// Degrees of freedom that a fit takes from the residuals of a channel in the logs of a kind:
//
//   p_kc = w_c tr(A^-1 G_kc),   A = sum_c w_c G_c + N W
//
// with W the curvature of the prior, the trace of their block of the hat matrix. Their sum over
// kinds and channels is the number of parameters that the data determine. A short log that the fit
// follows closely has a small residual, and p_kc tells by how much.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/identify/estimate.hpp"
#include "heft/setup/setup.hpp"
#include "heft/training/training_data.hpp"

namespace heft {

/// Returns p_kc of every channel and kind, channels x kinds, at `parameters`. `kind_of_log`: of
/// every log of `data`. Kinds share a stretch of the data that begins in one and ends in another by
/// their samples in it. Zero for compact data. Errors: those of fit_weighted and prior_error.
Result<Eigen::MatrixXd> absorbed_rows(const TrainingData& data, const std::vector<int>& kind_of_log,
                                      int num_kinds, const Setup& setup,
                                      const EstimationOptions& options,
                                      const Eigen::VectorXd& parameters);

}  // namespace heft
