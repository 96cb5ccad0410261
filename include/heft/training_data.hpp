// What identification keeps of the logs: sums that no longer grow with them, and all that is needed to
// estimate again, with other priors, constraints or weights, on any machine and without the logs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "heft/backend.hpp"
#include "heft/configuration.hpp"
#include "heft/log.hpp"
#include "heft/moments.hpp"

namespace heft {

struct TrainingData {
  PlanPtr plan;                          ///< robot, channels and columns
  Configuration configuration;           ///< under which the logs were conditioned
  std::vector<LogSummary> logs;          ///< in the order in which they were read
  Moments moments;                       ///< of all samples
  std::vector<MomentStretch> stretches;  ///< the same, in order, for folds and blocks
};

/// Hears what is being done and how much of it, 0 to 1.
using StageProgress = std::function<void(const std::string& stage, double fraction)>;

/// Reads the robot, conditions the logs and sums their moments, re-weighted by residuals if the configuration says so.
/// Errors: those of read_urdf, expand_model_terms, make_regressor_plan, make_backend and condition_log; those of solving
/// in between; fewer usable rows than parameters, all torques zero, sums that overflow.
Result<TrainingData> gather_training_data(const std::string& robot_path, const std::vector<std::string>& logs,
                                          const Configuration& configuration,
                                          const StageProgress& progress = {});

/// into += from: the samples of both. Error, and nothing added, if robots or columns differ.
Result<Done> add(TrainingData& into, const TrainingData& from);

/// Writes a moments file (host/training/moments_file.cpp has the format), whole or not at all.
/// Error as well for whitened channels (estimation.channel_covariance), whose sums add up with no others.
Result<Done> write_moments_file(const TrainingData& data, const std::string& path);

/// Reads it back, the same bits. Errors: missing, truncated or altered file, another format, numbers that are
/// not finite.
Result<TrainingData> read_moments_file(const std::string& path);

}  // namespace heft
