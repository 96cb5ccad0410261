// One pass over the samples of a source, which computes and checks their moments.
#pragma once

#include <functional>

#include "heft/base/result.hpp"
#include "heft/training/training_data.hpp"
#include "training/sample_source.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Row weights and covariance from an earlier estimate; without them all used rows have equal
/// weight.
struct RowWeighting {
  /// Returns Samples::weight of a block of a log, an index of SampleSource::summaries(); the sums
  /// contain its squares.
  std::function<Result<Eigen::ArrayXXd>(int log, const Samples& block)> weights;
  Eigen::MatrixXd covariance;  ///< AccumulateOptions::covariance
};

/// Returns the training data of a source, with a whitened plan if there is a covariance;
/// `most_stretches` as in AccumulateOptions. Errors: those of the source and the backend; fewer
/// usable rows than parameters, all torques zero, sums that overflow; stopped().
Result<TrainingData> accumulate(SampleSource& source, const PlanPtr& plan, Backend& backend,
                                const Progress& progress = {}, const RowWeighting& weighting = {},
                                int most_stretches = AccumulateOptions{}.most_stretches);

}  // namespace heft
#pragma GCC visibility pop
