// From a robot file and its logs to identified parameters, in one call.
//
//   Robot + logs -> Samples -> Moments -> weights -> Problem -> Solution -> Certificate
//
// and then a second pass over the samples for the residuals.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "heft/certificate.hpp"
#include "heft/configuration.hpp"
#include "heft/least_squares.hpp"
#include "heft/log.hpp"
#include "heft/moments.hpp"
#include "heft/prior.hpp"
#include "heft/regressor_plan.hpp"
#include "heft/result.hpp"
#include "heft/solution.hpp"

namespace heft {

struct IdentifyRequest {
  std::string robot_path;
  std::vector<std::string> training_logs;
  std::vector<std::string> validation_logs;  ///< held out: never seen by the fit; may be empty
  Configuration configuration;
  /// Hears what is being done and how much of it, 0 to 1.
  std::function<void(const std::string& stage, double fraction)> progress;
};

struct ChannelFit {
  std::string joint;  ///< name of the channel
  std::string unit;
  double rms_error = 0;   ///< over the used rows
  double rms_torque = 0;  ///< of measured minus known torque, over the same rows
  long long num_rows = 0;
};

struct Fit {
  double overall_relative = 0;  ///< sqrt(sum e^2 / sum tau^2) over the used rows of all channels
  std::vector<ChannelFit> channels;
};

/// One answer to the same data: least squares for comparison, or the constrained optimum.
struct Estimate {
  std::string name;            ///< "ols", "wls", "constrained"
  Eigen::VectorXd parameters;  ///< of the layout
  std::vector<int> impossible_bodies;
  int rank = 0;  ///< directions kept by least squares; 0 for the constrained answer
  Fit training;
  std::optional<Fit> validation;
};

struct Identification {
  PlanPtr plan;
  std::vector<LogSummary> training_logs, validation_logs;
  Moments moments;
  Eigen::VectorXd channel_weights;  ///< 1 / s_c^2 of FORMULAS 2
  Prior prior;
  std::vector<Estimate> estimates;  ///< ols, wls, and constrained unless least squares was asked for
  std::optional<Solution> solution;
  std::optional<Certificate> certificate;
  std::string backend;
  std::map<std::string, double> timings_s;  ///< seconds by stage

  /// Rows not used, by reason, over all logs.
  DroppedRows dropped() const;

  /// The estimate that was asked for.
  const Estimate& answer() const { return estimates.back(); }
};

/// Reads the robot, conditions the training logs and sums their moments; fits least squares, ordinary and
/// weighted, what the data leave open taken from the prior; then, unless the configuration asks for least
/// squares, solves the convex problem of FORMULAS 2 and 3 and certifies the answer; last, compares measured
/// and predicted torques of all logs.
///
/// An answer without certificate is not an error: see Solution::status and Certificate::certified. Errors:
/// those of read_urdf, expand_model_terms, make_regressor_plan, make_backend, condition_log, make_prior and
/// make_problem; fewer usable rows than parameters, all torques zero, sums that overflow; a solver that ends
/// without a point.
Result<Identification> identify(const IdentifyRequest& request);

struct WeightedFit {
  LeastSquares ordinary, weighted;
  Eigen::VectorXd channel_weights;  ///< 1 / s_c^2, s_c the rms residual after the last pass
};

/// Weighted least squares from moments alone (FORMULAS 2): ordinary first, then `passes` times with every
/// channel weighted by 1 / s_c^2, s_c the rms residual of its used rows. Errors of least_squares.
Result<WeightedFit> fit_weighted(const Moments& moments, int passes, double rank_cut);

}  // namespace heft
