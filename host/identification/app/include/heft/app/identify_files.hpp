// Identifies from the names of files: reads the robot, splits the logs, chooses the model where the
// configuration leaves that to the data, and identifies. Threads: any number of threads may call, each
// with objects of its own; what is const may be shared. Calls share threads that are kept from one to
// the next.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "heft/config/configuration.hpp"
#include "heft/identify/identify.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// A robot's file read, and what the configuration makes of it. Errors: those of read_robot and
/// make_setup; stopped().
Result<Setup> read_setup(const std::string& robot_path, const Configuration& configuration,
                         const Progress& progress = {});

/// The setup for training data that are there; `gathered`: their configuration_of. Ellipsoids that
/// came with them hold if they are what `configuration` asks for. Errors: those of make_setup; a
/// loss or covariance of channels other than the data were gathered with, whose weights of rows
/// need the samples.
Result<Setup> setup_for(const TrainingData& data, const Configuration& gathered,
                        const Configuration& configuration);

/// The configuration under which data were gathered. Errors, at `where`: those of
/// configuration_from_json.
Result<Configuration> configuration_of(const TrainingData& data, const std::string& where);

/// `gathered`, whose samples and rows are settled, with the priors, the estimation and the backend
/// of `wanted`.
Configuration with_estimation_of(Configuration gathered, const Configuration& wanted);

/// The configuration with what a search chose, and without a search.
Configuration with_choice(Configuration configuration, const ModelChoice& choice);

/// Rows of the training logs, by the times that they are read with.
struct LogParts {
  double start_s = -std::numeric_limits<double>::infinity();
  double end_s = std::numeric_limits<double>::infinity();
  double held_out_share = 0;  ///< of the time between, at the end of each log

  bool are_whole() const {
    return held_out_share == 0 && start_s == -std::numeric_limits<double>::infinity() &&
           end_s == std::numeric_limits<double>::infinity();
  }
};

struct IdentifyFiles {
  std::string robot_path;
  std::vector<std::string> training_logs;
  std::vector<std::string> validation_logs;  ///< held out: never seen by the fit; may be empty
  LogParts parts = {};  ///< of the training logs; held-out ends join the validation logs
  Configuration configuration;
  Progress progress;
};

/// Reads the robot's file, chooses the model if the configuration leaves it to the data, and
/// identifies. Errors: those of read_setup, select_model and identify; stopped().
Result<Identification> identify_files(const IdentifyFiles& files);

/// The same of a robot that was read by robot_options(configuration), and of logs that need not be
/// files.
Result<Identification> identify_logs(Robot robot, std::vector<Log> training_logs,
                                     std::vector<Log> validation_logs,
                                     const Configuration& configuration,
                                     const Progress& progress = {}, const LogParts& parts = {});

/// estimate() under another configuration than the data were gathered under; it is put on record in
/// the result. Errors: those of setup_for and estimate.
Result<Identification> estimate_again(TrainingData data, const Configuration& gathered,
                                      const Configuration& configuration,
                                      const Progress& progress = {});

/// Writes chosen.yaml into a result's directory, whole or not at all: the configuration that gives
/// the result without the search that found `choice`. Returns its path.
Result<std::string> write_chosen_configuration(const Configuration& searched,
                                               const ModelChoice& choice,
                                               const std::string& directory);

/// Removes the chosen.yaml of an earlier answer, which another one must not stand beside; of that
/// name no file but one that write_chosen_configuration wrote.
void remove_chosen_configuration(const std::string& directory);

}  // namespace heft
#pragma GCC visibility pop
