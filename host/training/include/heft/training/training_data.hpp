// What identification keeps of the logs: sums that no longer grow with them, and all that is needed to
// estimate again, with other priors, constraints or weights, on any machine and without the logs.
#pragma once

#include <string>
#include <vector>

#include "heft/config/configuration.hpp"
#include "heft/log/log.hpp"
#include "heft/moments/moments.hpp"
#include "heft/rows/backend.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct TrainingData {
  PlanPtr plan;                          ///< robot, channels and columns
  Configuration configuration;           ///< under which the logs were conditioned
  std::vector<LogSummary> logs;          ///< in the order in which they were read
  Moments moments;                       ///< of all samples
  std::vector<MomentStretch> stretches;  ///< the same, in order, for folds and blocks
  /// By what data that were added differ from these, in words: options, the robot's file. Robot, prior and configuration
  /// are those of the first.
  std::vector<std::string> disagreements = {};
};

/// into += from: the samples of both. Other options and another robot file with the same joints and columns may be meant
/// and go to `disagreements`. Error, and nothing added, if robots or columns differ.
Result<Done> add(TrainingData& into, const TrainingData& from);

/// Writes a moments file (host/training/moments_file.cpp has the format), whole or not at all.
/// Error as well for whitened channels (estimation.channel_covariance), whose sums add up with no others.
Result<Done> write_moments_file(const TrainingData& data, const std::string& path);

/// Reads it back, the same bits. Errors: missing, truncated or altered file, another format, numbers that are
/// not finite.
Result<TrainingData> read_moments_file(const std::string& path);

}  // namespace heft
#pragma GCC visibility pop
