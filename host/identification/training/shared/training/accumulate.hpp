// One pass over the samples of a source: their moments, checked.
#pragma once

#include <functional>

#include "heft/base/result.hpp"
#include "heft/training/training_data.hpp"
#include "training/sample_source.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// What an earlier answer says of the rows; nothing of it, and every used row counts the same.
struct RowWeighting {
  /// Samples::weight of a block, 0 to 1; the sums hold its squares.
  std::function<Result<Eigen::ArrayXXd>(const Samples& block)> weights;
  Eigen::MatrixXd covariance;  ///< AccumulateOptions::covariance
};

/// Data of a whitened plan if there is a covariance; `most_stretches` is AccumulateOptions'.
/// Errors: those of the source and the backend; fewer usable rows than parameters, all torques
/// zero, sums that overflow; stopped().
Result<TrainingData> accumulate(SampleSource& source, const PlanPtr& plan, Backend& backend,
                                const Progress& progress = {}, const RowWeighting& weighting = {},
                                int most_stretches = AccumulateOptions{}.most_stretches);

}  // namespace heft
#pragma GCC visibility pop
