// From training data to identified parameters: all steps that need no samples.
//
//   TrainingData + Setup -> weights -> Problem -> Solution -> Certificate,
//   price of physics, uncertainty
//
// Threads: safe to call from several threads on separate objects; const objects may be shared.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/charts/chart.hpp"
#include "heft/evidence/evidence.hpp"
#include "heft/executor/executor.hpp"
#include "heft/identify/selection.hpp"
#include "heft/log/several_files.hpp"
#include "heft/setup/setup.hpp"
#include "heft/solve/solve.hpp"
#include "heft/traces/traces.hpp"
#include "heft/training/training_data.hpp"
#include "heft/uncertainty/uncertainty.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// The kind of estimate.
enum class Estimator {
  constrained,  ///< the convex optimum of FORMULAS 2 and 3
  ordinary_least_squares,
  weighted_least_squares,
};

/// How an estimate is computed. Its constraints are in the Setup, the weights of rows in the
/// training data.
struct EstimationOptions {
  Estimator estimator = Estimator::constrained;
  SolveOptions solve;
  int weighting_passes = 4;  ///< for weighted least squares
  double rank_cut = 1e-7;    ///< for least squares, on singular values of column-scaled rows
  bool chooses_weight_of_prior = false;  ///< by cross-validation, see WeightChoice; Prior::weight
                                         ///< is the default
  /// Chart on which the constrained problem is solved again: Optimum::second_opinion.
  std::optional<ChartKind> second_opinion = {};
  UncertaintyOptions uncertainty;
  /// Upper bound on the weight of each channel's rows in the constrained estimate, whatever its
  /// residuals; empty: no bound.
  Eigen::VectorXd most_weights = {};
  /// Solves the convex problem of the estimate, for callers that batch the problems of many robots.
  /// Empty: solve().
  std::function<Result<Solution>(const Problem&)> solver = {};

  bool is_least_squares() const { return estimator != Estimator::constrained; }
};

/// Errors of one channel: measured minus known torque against the predicted torque.
struct ChannelErrors {
  std::string channel;
  std::string unit;
  double rms_error = 0;   ///< over the used rows
  double rms_torque = 0;  ///< of measured minus known torque, over the same rows
  long long num_rows = 0;
  double rms_measured = 0;  ///< of the measured torque itself if the samples were read again;
                            ///< otherwise 0
};

/// Errors of all channels.
struct TorqueErrors {
  double overall_relative = 0;  ///< sqrt(sum e^2 / sum tau^2) over the used rows of all channels
  std::vector<ChannelErrors> channels;
};

/// One estimate from the data: least squares for comparison, or the constrained optimum.
struct Estimate {
  std::string name;            ///< "ols", "wls", "chart:log_cholesky", .., "constrained"
  Eigen::VectorXd parameters;  ///< of the layout
  std::vector<int> impossible_bodies;
  int rank = 0;  ///< retained directions of least squares; 0 for the constrained estimate
  TorqueErrors training;
  std::optional<TorqueErrors> validation;

  /// Returns the errors on held-out logs or, if there are none, on the training logs.
  const TorqueErrors& errors() const { return validation ? *validation : training; }
};

/// Solution of the same problem on a chart, in addition to the certified estimate, which remains
/// the result.
struct SecondOpinion {
  ChartKind chart = ChartKind::log_cholesky;
  ChartSolution solution;
  double above = 0;         ///< excess over the objective of the certified estimate, relative to it
  double least_margin = 0;  ///< of the certified estimate: smallest eigenvalue of a body relative
                            ///< to its prior
  bool is_reachable = false;  ///< the certified estimate lies inside the possible bodies, where
                              ///< charts have points
  std::string verdict;        ///< explanation for the user
};

/// Effect of the prior: comparison with a thousandth of its weight.
struct PriceOfPrior {
  double relative = 0;  ///< relative increase of the squared error on the training logs due to the
                        ///< prior
  Eigen::VectorXd parameters;  ///< estimate with a thousandth of the weight
};

/// The optimum of the convex problem and its analysis.
struct Optimum {
  Solution solution;
  Certificate certificate;
  std::optional<PriceOfPhysics> price;
  std::optional<PriceOfPrior> price_of_prior;  ///< empty for a prior without weight
  /// Channels that contradict every physically consistent estimate (wrong unit, sign or gear ratio,
  /// or not a torque), worst first.
  std::vector<int> suspicious_channels;
  std::optional<SecondOpinion> second_opinion;  ///< if a chart was requested
  Uncertainty uncertainty;
};

/// A contact whose wrench is unknown.
struct ContactSummary {
  std::string frame;
  double share_of_time = 0;  ///< of the training samples in contact, widened
  /// Mean share, over all directions of the parameters that the rows determine, of the information
  /// that a sensor of this contact's wrench would add; 0 to 1.
  double information_lost = 0;
};

/// The weights of a kind of logs.
struct KindWeights {
  std::string kind;
  std::vector<std::string> logs;  ///< paths
  double given = 1;               ///< LogKind::weight
  Eigen::VectorXd num_rows;       ///< used rows of every channel
  Eigen::VectorXd noise;     ///< standard deviation of the residuals of every channel, corrected
                             ///< for unknown contact forces; 0: no rows
  Eigen::VectorXd relative;  ///< weight of a squared error of every channel; the mean over all rows
                             ///< of the channel is 1
};

/// Weights of the rows of kinds of logs.
struct LogWeighting {
  bool from_residuals = false;  ///< otherwise only KindWeights::given
  std::vector<KindWeights> kinds;
};

/// Options determined from the data, if requested.
struct Choices {
  std::optional<Selection> columns;
  std::optional<WeightChoice> weight_of_prior;
  std::vector<ClockMatch> clocks;        ///< of logs in several files
  std::optional<CutoffChoice> cutoff;    ///< also set for a given cutoff, with the errors at half
                                         ///< and twice the cutoff
  std::vector<ContactSummary> contacts;  ///< projected out of the rows
  std::optional<LogWeighting> logs;      ///< if logs are weighed and of several kinds
};

/// Work of a device that conditioned logs.
struct WaveReport {
  std::int64_t num_robots = 0, num_logs = 0;
  std::int64_t bytes_up = 0, bytes_down = 0, launches = 0;
  double host_cpu_s = 0;  ///< CPU time in which the host read rows and checked samples of these
                          ///< logs, without threads that read ahead
  double device_s = 0;    ///< copies and kernels of these logs
  std::string chosen_because;
  std::vector<std::pair<std::string, std::string>> on_host;  ///< logs that the host conditioned,
                                                             ///< and why
};

/// Results of a second pass over the samples; empty if only sums are available.
struct SecondPass {
  std::string backend;  ///< backend that evaluated the samples; empty: no second pass
  std::vector<LogSummary> validation_logs;
  std::optional<Traces> traces;         ///< of the estimate's torques, if they were gathered
  std::optional<ErrorBlocks> held_out;  ///< errors on the held-out logs, by stretch
  Evidence evidence;                    ///< evidence against the estimate from logs and residuals

  /// Returns whether the estimate was compared with logs.
  bool has_seen_logs() const { return !backend.empty(); }
  /// Returns whether logs and residuals were tested for faults.
  bool has_asked_logs() const { return evidence.reference.has_value(); }
};

/// The result of an identification.
struct Identification {
  TrainingData data;
  Setup setup;          ///< with the selected weight of the prior
  std::string options;  ///< options of this estimate, a JSON object like TrainingData::options
  Choices choices;
  Eigen::VectorXd channel_weights;  ///< 1 / s_c^2 of FORMULAS 2
  /// ols, wls, and constrained unless least squares was requested; before constrained that of a
  /// chart, if requested.
  std::vector<Estimate> estimates;
  std::optional<Optimum> optimum;  ///< empty if least squares was requested
  SecondPass second_pass;
  std::vector<SolveCount> solves;           ///< problems solved in batches, by solver
  std::optional<WaveReport> wave;           ///< logs conditioned by a device, if there is one
  std::vector<std::string> accepted;        ///< ids of doubts that the user has accepted
  std::map<std::string, double> timings_s;  ///< seconds per stage

  /// Returns the plan of the robot's own channels, also if the data are whitened.
  const RegressorPlan& plan() const {
    return data.plan->whitened_from ? *data.plan->whitened_from : *data.plan;
  }

  /// Returns the number of unused rows by reason, over all logs.
  DroppedRows dropped() const;

  /// Returns the requested estimate.
  const Estimate& answer() const { return estimates.back(); }
};

/// Computes all estimates from training data. Fits ordinary and weighted least squares, with the
/// prior in directions that the data do not determine. Then, unless least squares was requested,
/// chooses the weight of the prior if requested, solves the convex problem of FORMULAS 2 and 3,
/// certifies the solution and quantifies its uncertainty. Errors of fits come from the moments,
/// exact to about 1e-8 of the torque; for re-weighted data (Huber, whitened channels) they are
/// those of the weighted rows.
///
/// A solution without certificate is not an Error: see Solution::status and Certificate::certified.
/// The setup must have the robot of the data. Errors: those of make_problem, choose_prior_weight
/// and fit_weighted; a solver that ends without a point; stopped().
Result<Identification> estimate(TrainingData data, Setup setup, Executor& executor,
                                const EstimationOptions& options = {},
                                const Progress& progress = {});

/// Returns the convex problem that estimate() solves, from sums alone and with the setup's weight
/// of the prior. One batch can thus solve the problems of many robots, and
/// EstimationOptions::solver passes the solutions to their estimates. Errors: those of make_problem
/// and fit_weighted.
Result<Problem> problem_of(const Moments& moments, const Setup& setup,
                           const EstimationOptions& options);

}  // namespace heft
#pragma GCC visibility pop
