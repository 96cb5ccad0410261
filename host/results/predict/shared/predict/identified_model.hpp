// An identified model, read back from the directory that write_result made.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "heft/config/configuration.hpp"
#include "heft/uncertainty/uncertainty.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct IdentifiedModel {
  Model model;
  Configuration configuration;   ///< of the identification
  Eigen::VectorXd parameters;    ///< of the model's layout
  Eigen::VectorXd residual_rms;  ///< of every channel, on held-out logs or, without any, on the
                                 ///< training logs
  /// How surely base quantities are known, by their names: ErrorBars::information, and that times
  /// ErrorBars::estimate. Empty in results without error bars, and in those of older programs.
  std::vector<std::string> quantities;
  Eigen::MatrixXd information;
  Eigen::VectorXd information_times_estimate;
  /// Of `information`, in the order of the plan's channels. Empty in results of older programs.
  ChannelParts channel_parts;
  std::string no_intervals;         ///< why there are no error bars, if the result says so
  std::vector<std::string> doubts;  ///< serious ones that were not accepted
};

/// Kinematics from identified.urdf (and rotors.yaml) beside result.json, parameters and options
/// from result.json, which is `given` or lies in that directory. Errors: those of
/// read_result_document, no URDF beside it, names that do not match.
Result<IdentifiedModel> read_identified_model(const std::string& given);

}  // namespace heft
#pragma GCC visibility pop
