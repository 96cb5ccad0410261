// From a setup and logs to identified parameters, in one call.
//
//   Setup + logs -> Samples -> TrainingData -> estimate() -> residuals, on the training logs and on
//   those held out
// Threads: any number of threads may call, each with objects of its own; what is const may be
// shared. An executor may be shared: its calls take turns.
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

/// Conditions the logs and sums their moments, re-weighted by residuals if the options say so.
/// Errors: those of make_backend and condition_log; those of solving in between; fewer usable rows
/// than parameters, all torques zero, sums that overflow; stopped().
Result<TrainingData> gather_training_data(const Setup& setup, const std::vector<Log>& logs,
                                          const GatherOptions& options = {},
                                          const EstimationOptions& estimation = {},
                                          const BackendOptions& backend = {},
                                          const Progress& progress = {});

struct IdentifyRequest {
  Setup setup;
  std::vector<Log> training_logs = {};    ///< files by their paths, or arrays (arrays.hpp)
  std::vector<Log> validation_logs = {};  ///< held out: never seen by the fit; may be empty
  GatherOptions gathering = {};
  EstimationOptions estimation = {};
  std::shared_ptr<Executor> executor = nullptr;  ///< who computes; null: what make_executor() takes
  bool gathers_evidence = true;  ///< SecondPass::evidence; about as much again as the second pass
                                 ///< over the samples
  bool gathers_traces = true;    ///< SecondPass::traces, which pages draw
  Progress progress = {};
};

/// The request's executor, or one that is made for it. Errors: those of make_executor.
Result<std::shared_ptr<Executor>> executor_of(const IdentifyRequest& request);

/// Gathers the training data, estimates, and then, in a second pass over the samples, compares
/// measured and predicted torques of all logs. Errors: those of gather_training_data,
/// make_executor, estimate and condition_log; stopped().
Result<Identification> identify(const IdentifyRequest& request);

/// The same of training data that were gathered before, from the request's training logs, which are
/// read for the comparison alone. Weights of rows are those in the data: loss and covariance of the
/// request are not looked at. Errors: those of estimate and condition_log; stopped().
Result<Identification> identify_gathered(TrainingData data, const IdentifyRequest& request);

}  // namespace heft
#pragma GCC visibility pop
