// From a setup and logs to identified parameters, in one call.
//
//   Setup + logs -> Samples -> TrainingData -> estimate() -> residuals, on the training logs and on
//   those held out
//
// Threads: safe to call from several threads on separate objects; const objects may be shared. An
// executor may be shared; its calls are serialized.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/executor/executor.hpp"
#include "heft/identify/estimate.hpp"
#include "heft/training/training_data.hpp"

#pragma GCC visibility push(default)
namespace heft {

class DeviceConditioner;

/// Conditions the logs and sums their moments, re-weighted by residuals if requested. Errors: those
/// of make_backend, condition_log and the solves for re-weighting; fewer usable rows than
/// parameters, all torques zero, sums that overflow; stopped().
Result<TrainingData> gather_training_data(const Setup& setup, const std::vector<Log>& logs,
                                          const GatherOptions& options = {},
                                          const EstimationOptions& estimation = {},
                                          const BackendOptions& backend = {},
                                          const Progress& progress = {});

/// Setup, logs and options of one identification, and what else to compute for the report.
struct IdentifyRequest {
  Setup setup;
  std::vector<Log> training_logs = {};    ///< files by path, or arrays (arrays.hpp)
  std::vector<Log> validation_logs = {};  ///< held out: not used by the fit; may be empty
  GatherOptions gathering = {};
  EstimationOptions estimation = {};
  std::shared_ptr<Executor> executor = nullptr;  ///< null: the default of make_executor()
  /// The executor's device conditions the logs that it can. A few logs are conditioned sooner by
  /// the host: a device takes as long for one log as for many.
  bool conditions_on_device = false;
  /// A device that does this for other requests, too; null: one that the request has to itself.
  std::shared_ptr<DeviceConditioner> shared_device = nullptr;
  bool gathers_evidence = true;  ///< SecondPass::evidence; takes about as long as the second pass
                                 ///< over the samples
  bool gathers_traces = true;    ///< SecondPass::traces, for the report page
  Progress progress = {};
};

/// Returns the request's executor or makes a new one. Errors: those of make_executor.
Result<std::shared_ptr<Executor>> executor_of(const IdentifyRequest& request);

/// Identifies: gathers the training data, estimates, and compares measured and predicted torques of
/// all logs in a second pass over the samples. Errors: those of gather_training_data,
/// make_executor, estimate and condition_log; stopped().
Result<Identification> identify(const IdentifyRequest& request);

/// Does the same with existing training data, gathered from the request's training logs, which are
/// read only for the comparison. Weights of rows are those of the data: loss and covariance of the
/// request are ignored. Errors: those of estimate and condition_log; stopped().
Result<Identification> identify_gathered(TrainingData data, const IdentifyRequest& request);

}  // namespace heft
#pragma GCC visibility pop
