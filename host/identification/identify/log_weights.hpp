// Weights of the rows of logs of different kinds, such as hung and stance. The noise of a channel
// and the errors of the model differ between experiments, so each kind has its own variances:
//
//   cost = sum over kinds k and channels c of  w_k / s_kc^2 * sum e^2
//
// with w_k LogKind::weight and s_kc^2 the variance of the residuals of the previous estimate with
// the degrees of freedom that it leaves (absorbed_rows.hpp), or s_c^2 if weights do not follow
// residuals. Feasible generalized least squares in kWeightRounds
// rounds. Rows are multiplied by the square roots of factors whose mean over the rows of a channel
// is 1, so that the channel's weight 1 / s_c^2 keeps its meaning.
#pragma once

#include <functional>
#include <vector>

#include "identify/gathering.hpp"
#include "training/accumulate.hpp"

namespace heft {

/// Returns the kinds of the logs that were read, without kinds that have no log: first those of the
/// list, then one for each other log, named as its file, or its path if the name is taken.
std::vector<LogKind> kinds_of(const std::vector<LogSummary>& logs,
                              const std::vector<LogKind>& listed);

/// Returns the row weights of logs of which `weighting` has the paths, by their index; other logs
/// have weight 1.
RowWeighting row_weighting(const LogWeighting& weighting, const std::vector<Log>& logs);

/// Chooses weights and sums the weighted rows.
struct LogWeigher {
  SampleSource& source;
  const Setup& setup;
  const RowWeightingOptions& options;
  const EstimationOptions& estimation;
  Backend& backend;
  const Progress& progress;

  using Accumulate = std::function<Result<TrainingData>(const RowWeighting&)>;

  /// Sets GatheredData::reweighted and log_weights from GatheredData::plain. Errors: those of
  /// point_estimate and `accumulate`; stopped().
  Result<Done> weigh(const std::vector<LogKind>& kinds, const Accumulate& accumulate,
                     GatheredData& gathered) const;

 private:
  Result<LogWeighting> weights_by(const TrainingData& data, const std::vector<LogKind>& kinds,
                                  const std::vector<int>& kind_of_log) const;
};

}  // namespace heft
