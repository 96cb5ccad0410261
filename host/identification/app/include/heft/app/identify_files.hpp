// Identification from file names: reads the robot, splits the logs, selects the model if the
// configuration requests it, and identifies. Threads: safe to call from several threads on separate
// objects; const objects may be shared. Calls share a pool of threads that persists between them.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heft/config/configuration.hpp"
#include "heft/identify/identify.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Reads the robot's file and makes the setup of the configuration. Errors: those of read_robot and
/// make_setup; stopped().
Result<Setup> read_setup(const std::string& robot_path, const Configuration& configuration,
                         const Progress& progress = {});

/// Returns the setup for existing training data; `gathered` is their configuration_of. Ellipsoids
/// stored with the data are reused if they match `configuration`. Errors: those of make_setup; a
/// loss or channel covariance that differs from that of the data, because its row weights need the
/// samples.
Result<Setup> setup_for(const TrainingData& data, const Configuration& gathered,
                        const Configuration& configuration);

/// Returns the configuration with which data were gathered. `where` names the data in errors.
/// Errors: those of configuration_from_json.
Result<Configuration> configuration_of(const TrainingData& data, const std::string& where);

/// Returns `gathered`, whose samples and rows are fixed, with the priors, estimation and backend of
/// `wanted`.
Configuration with_estimation_of(Configuration gathered, const Configuration& wanted);

/// Returns the configuration with the result of a search, and with the search switched off.
Configuration with_choice(Configuration configuration, const ModelChoice& choice);

/// Parts of the training logs, in the time with which the logs are read.
struct LogParts {
  double start_s = -std::numeric_limits<double>::infinity();
  double end_s = std::numeric_limits<double>::infinity();
  double held_out_share = 0;  ///< share of the time between start and end that is held out, at the
                              ///< end of each log

  /// Returns whether the logs are used completely for training.
  bool are_whole() const {
    return held_out_share == 0 && start_s == -std::numeric_limits<double>::infinity() &&
           end_s == std::numeric_limits<double>::infinity();
  }
};

/// Robot file, logs and configuration of one identification.
struct IdentifyFiles {
  std::string robot_path;
  std::vector<std::string> training_logs;
  std::vector<std::string> validation_logs;  ///< held out: not used by the fit; may be empty
  LogParts parts = {};  ///< parts of the training logs; held-out ends are added to the validation
                        ///< logs
  Configuration configuration;
  Progress progress;
};

/// Reads the robot's file, selects the model if the configuration requests it, and identifies.
/// Errors: those of read_setup, select_model and identify; stopped().
Result<Identification> identify_files(const IdentifyFiles& files);

/// Does the same for a robot that was read with robot_options(configuration), and for logs that
/// need not be files. `device` conditions logs in place of one that the call has to itself, if the
/// configuration requests it by name (backend: cuda). `executor` computes; null: one that the
/// configuration describes.
Result<Identification> identify_logs(Robot robot, std::vector<Log> training_logs,
                                     std::vector<Log> validation_logs,
                                     const Configuration& configuration,
                                     const Progress& progress = {}, const LogParts& parts = {},
                                     std::shared_ptr<DeviceConditioner> device = nullptr,
                                     std::shared_ptr<Executor> executor = nullptr);

/// Calls estimate() with another configuration than that of the data; the result records it.
/// Errors: those of setup_for and estimate.
Result<Identification> estimate_again(TrainingData data, const Configuration& gathered,
                                      const Configuration& configuration,
                                      const Progress& progress = {});

/// Writes chosen.yaml into a result's directory, completely or not at all: the configuration that
/// reproduces the result without the search that found `choice`. Returns its path.
Result<std::string> write_chosen_configuration(const Configuration& searched,
                                               const ModelChoice& choice,
                                               const std::string& directory);

/// Removes the chosen.yaml of an earlier result, which would contradict a new one. Removes only
/// files that write_chosen_configuration wrote.
void remove_chosen_configuration(const std::string& directory);

}  // namespace heft
#pragma GCC visibility pop
