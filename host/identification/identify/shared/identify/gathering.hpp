// Training data from a source of samples, in as many passes as the weights need. If row weights or
// the covariance of channels depend on residuals, least squares are iteratively re-weighted:
//
//   all rows alike -> answer -> residuals -> noise of the channels -> rows weighted, whitened ->
//   answer -> ..
//
// Huber's weight of a residual e is min(1, k s / |e|), with s the robust scale of its channel; its
// square root multiplies the row. The covariance that whitens the rows is that of all residuals;
// with Huber's weights it is the robust one.
#pragma once

#include <memory>
#include <optional>

#include "heft/base/result.hpp"
#include "heft/identify/estimate.hpp"
#include "heft/rows/backend.hpp"
#include "heft/setup/setup.hpp"
#include "heft/training/training_data.hpp"
#include "training/sample_source.hpp"

#pragma GCC visibility push(default)
namespace heft {

inline constexpr int kFewestStretches = 2;  ///< of sums that are not divided

/// Training data with and without re-weighting.
struct GatheredData {
  TrainingData plain;                            ///< every used row has weight one
  std::optional<TrainingData> reweighted;        ///< if GatherOptions::weighting requires it
  int num_passes = 0;                            ///< number of passes over the samples
  std::optional<LogWeighting> log_weights = {};  ///< of `reweighted`, if logs are weighed

  /// Returns the data to estimate from.
  TrainingData& training() { return reweighted ? *reweighted : plain; }
};

/// Gathers training data; `most_stretches` as in AccumulateOptions, few if only the sums are used.
/// Errors: those of accumulate() and of the solves for re-weighting; stopped().
Result<GatheredData> gather(SampleSource& source, const Setup& setup, const GatherOptions& options,
                            const EstimationOptions& estimation, Backend& backend,
                            const Progress& progress = {},
                            int most_stretches = AccumulateOptions{}.most_stretches);

/// Returns the parameters that the options request, computed from moments with the current weight
/// of the prior: weighted least squares, or the convex optimum. Errors: those of fit_weighted and
/// solve; no optimum.
Result<Eigen::VectorXd> point_estimate(const Moments& moments, const Setup& setup,
                                       const EstimationOptions& options);

}  // namespace heft
#pragma GCC visibility pop
