// From a robot file and its logs to identified parameters, in one call.
//
//   Robot + logs -> Samples -> TrainingData -> estimate() -> residuals, on the training logs and on those held out
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/config/configuration.hpp"
#include "heft/identify/estimate.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Hears what is being done and how much of it, 0 to 1.
using StageProgress = std::function<void(const std::string& stage, double fraction)>;

/// Reads the robot, conditions the logs and sums their moments, re-weighted by residuals if the configuration says so.
/// Errors: those of read_robot, expand_model_terms, make_regressor_plan, make_backend and condition_log; those of solving
/// in between; fewer usable rows than parameters, all torques zero, sums that overflow.
Result<TrainingData> gather_training_data(const std::string& robot_path, const std::vector<std::string>& logs,
                                          const Configuration& configuration,
                                          const StageProgress& progress = {});

struct IdentifyRequest {
  std::string robot_path;
  std::vector<std::string> training_logs;
  std::vector<std::string> validation_logs;  ///< held out: never seen by the fit; may be empty
  Configuration configuration;
  StageProgress progress;
};

/// Gathers the training data, estimates, and then, in a second pass over the samples, compares measured and
/// predicted torques of all logs. Does not read configuration.selection, which asks for a search of columns:
/// identify_selected does (select_model.hpp). Errors: those of gather_training_data, estimate and condition_log.
Result<Identification> identify(const IdentifyRequest& request);

}  // namespace heft
#pragma GCC visibility pop
