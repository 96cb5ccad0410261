// Training data from a source of samples, in as many passes as the estimate's weights need. Where a
// row's weight, or what channels have in common, comes from residuals, least squares are
// re-weighted iteratively:
//
//   all rows alike -> answer -> residuals -> noise of the channels -> rows weighted, whitened ->
//   answer -> ..
//
// Huber's weight of a residual e is min(1, k s / |e|), s the robust scale of its channel; its
// square root multiplies the row. The covariance that whitens the rows is that of all residuals,
// the robust one with Huber's weights.
#pragma once

#include <memory>
#include <optional>

#include "heft/base/result.hpp"
#include "heft/identify/estimate.hpp"
#include "heft/setup/setup.hpp"
#include "heft/training/training_data.hpp"
#include "training/sample_source.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct GatheredData {
  TrainingData plain;                      ///< every used row at weight one
  std::optional<TrainingData> reweighted;  ///< if GatherOptions::weighting asks for it
  int num_passes = 0;                      ///< over the samples

  /// What to estimate from.
  TrainingData& training() { return reweighted ? *reweighted : plain; }
};

/// Errors: those of accumulate() and of solving in between; stopped().
Result<GatheredData> gather(SampleSource& source, const Setup& setup, const GatherOptions& options,
                            const EstimationOptions& estimation, Backend& backend,
                            const Progress& progress = {});

/// Parameters that the options ask for, from moments, the weight of the prior as it stands:
/// weighted least squares, or the convex optimum. Errors: those of fit_weighted and solve; no
/// optimum.
Result<Eigen::VectorXd> point_estimate(const Moments& moments, const Setup& setup,
                                       const EstimationOptions& options);

}  // namespace heft
#pragma GCC visibility pop
