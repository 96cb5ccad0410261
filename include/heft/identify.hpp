// From a robot file and its logs to identified parameters, in one call.
//
//   Robot + logs -> Samples -> TrainingData -> estimate() -> residuals, on the training logs and on those held out
#pragma once

#include <string>
#include <vector>

#include "heft/configuration.hpp"
#include "heft/estimate.hpp"
#include "heft/result.hpp"

namespace heft {

struct IdentifyRequest {
  std::string robot_path;
  std::vector<std::string> training_logs;
  std::vector<std::string> validation_logs;  ///< held out: never seen by the fit; may be empty
  Configuration configuration;
  StageProgress progress;
};

/// Gathers the training data, estimates, and then, in a second pass over the samples, compares measured and
/// predicted torques of all logs. Errors: those of gather_training_data, estimate and condition_log.
Result<Identification> identify(const IdentifyRequest& request);

}  // namespace heft
