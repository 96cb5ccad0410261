// An identified model, read from the directory that write_result wrote.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "heft/config/configuration.hpp"
#include "heft/uncertainty/uncertainty.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Model and parameters of an identification.
struct IdentifiedModel {
  Model model;
  Configuration configuration;   ///< of the identification
  Eigen::VectorXd parameters;    ///< of the model's layout
  Eigen::VectorXd residual_rms;  ///< per channel, on held-out logs or, without any, on the training
                                 ///< logs
  /// Information about base quantities by name: ErrorBars::information, and its product with
  /// ErrorBars::estimate. Empty in results without error bars, and in those of older versions.
  std::vector<std::string> quantities;
  Eigen::MatrixXd information;
  Eigen::VectorXd information_times_estimate;
  /// Parts of `information`, in the order of the plan's channels. Empty in results of older
  /// versions.
  ChannelParts channel_parts;
  std::string no_intervals;         ///< why there are no error bars, if the result gives a reason
  std::vector<std::string> doubts;  ///< serious ones that are not accepted
};

/// Reads the kinematics from identified.urdf (and rotors.yaml) next to result.json, and parameters
/// and options from result.json, which is `given` or in that directory. Errors: those of
/// read_result_document, a missing URDF, names that do not match.
Result<IdentifiedModel> read_identified_model(const std::string& given);

}  // namespace heft
#pragma GCC visibility pop
