// From training data to identified parameters: everything that needs no sample any more.
//
//   TrainingData + Setup -> weights -> Problem -> Solution -> Certificate,
//   price of physics, uncertainty
// Threads: any number of threads may call, each with objects of its own; what is const may be
// shared.
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
#include "heft/setup/setup.hpp"
#include "heft/solve/solve.hpp"
#include "heft/traces/traces.hpp"
#include "heft/training/training_data.hpp"
#include "heft/uncertainty/uncertainty.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Which answer the result holds.
enum class Estimator {
  constrained,  ///< the convex optimum of FORMULAS 2 and 3
  ordinary_least_squares,
  weighted_least_squares,
};

/// How an answer is computed; what it must obey is in the Setup, what a row counts in the training
/// data.
struct EstimationOptions {
  Estimator estimator = Estimator::constrained;
  SolveOptions solve;
  int weighting_passes = 4;  ///< of weighted least squares
  double rank_cut = 1e-7;    ///< of least squares, on singular values of column-scaled rows
  bool chooses_weight_of_prior = false;  ///< by cross-validation, see WeightChoice; Prior::weight
                                         ///< is the default
  /// A chart on which the constrained answer is looked for once more: Optimum::second_opinion.
  std::optional<ChartKind> second_opinion = {};
  UncertaintyOptions uncertainty;
  /// Most that a row of each channel may count for in the constrained answer, whatever its
  /// residuals say; empty: not bounded.
  Eigen::VectorXd most_weights = {};
  /// Who solves the convex problem of the answer, for those who solve many robots' in one batch.
  /// Empty: solve().
  std::function<Result<Solution>(const Problem&)> solver = {};

  bool is_least_squares() const { return estimator != Estimator::constrained; }
};

/// Of measured torques, less known ones, against predicted ones.
struct ChannelErrors {
  std::string channel;
  std::string unit;
  double rms_error = 0;   ///< over the used rows
  double rms_torque = 0;  ///< of measured minus known torque, over the same rows
  long long num_rows = 0;
  double rms_measured = 0;  ///< of the measured torque itself, where the samples were read again;
                            ///< else 0
};

struct TorqueErrors {
  double overall_relative = 0;  ///< sqrt(sum e^2 / sum tau^2) over the used rows of all channels
  std::vector<ChannelErrors> channels;
};

/// One answer to the same data: least squares for comparison, or the constrained optimum.
struct Estimate {
  std::string name;            ///< "ols", "wls", "chart:log_cholesky", .., "constrained"
  Eigen::VectorXd parameters;  ///< of the layout
  std::vector<int> impossible_bodies;
  int rank = 0;  ///< directions kept by least squares; 0 for the constrained answer
  TorqueErrors training;
  std::optional<TorqueErrors> validation;

  /// On held-out logs, or where there are none on those that it was learned from.
  const TorqueErrors& errors() const { return validation ? *validation : training; }
};

/// What a chart finds of the same problem, beside the certified answer, which stays the answer.
struct SecondOpinion {
  ChartKind chart = ChartKind::log_cholesky;
  ChartSolution solution;
  double above = 0;         ///< of the certified answer's objective, relative to it
  double least_margin = 0;  ///< of the certified answer: least eigenvalue of a body relative to its
                            ///< prior
  bool is_reachable = false;  ///< the certified answer lies inside the possible bodies, where
                              ///< charts have points
  std::string verdict;        ///< in plain words
};

/// What the prior costs: the same problem with a thousandth of its weight.
struct PriceOfPrior {
  double relative = 0;         ///< by which the prior raises the squared error on the training logs
  Eigen::VectorXd parameters;  ///< of the answer without it
};

/// The optimum of the convex problem, and what is known of it.
struct Optimum {
  Solution solution;
  Certificate certificate;
  std::optional<PriceOfPhysics> price;
  std::optional<PriceOfPrior> price_of_prior;  ///< none of a prior without weight
  /// Channels that fight every physical answer (wrong unit, sign or gear ratio, or not a torque),
  /// worst first.
  std::vector<int> suspicious_channels;
  std::optional<SecondOpinion> second_opinion;  ///< if a chart was asked for
  Uncertainty uncertainty;
};

/// What was left to the data, if it was.
struct Choices {
  std::optional<Selection> columns;
  std::optional<WeightChoice> weight_of_prior;
  std::optional<CutoffChoice> cutoff;  ///< also where it was given, for the errors at half and at
                                       ///< twice it
};

/// What the samples say of the answer when they are read once more; empty where only their sums are
/// there.
struct SecondPass {
  std::string backend;  ///< what evaluated the samples; empty: nothing
  std::vector<LogSummary> validation_logs;
  std::optional<Traces> traces;         ///< of the answer's torques, if they were gathered
  std::optional<ErrorBlocks> held_out;  ///< its errors on the held-out logs, stretch by stretch
  Evidence evidence;                    ///< what logs and residuals say against the answer

  /// Whether the answer was compared with logs.
  bool has_seen_logs() const { return !backend.empty(); }
  /// Whether logs and residuals were asked for faults.
  bool has_asked_logs() const { return evidence.reference.has_value(); }
};

struct Identification {
  TrainingData data;
  Setup setup;          ///< with the prior's weight that was chosen
  std::string options;  ///< of this answer, a JSON object as TrainingData::options
  Choices choices;
  Eigen::VectorXd channel_weights;  ///< 1 / s_c^2 of FORMULAS 2
  /// ols, wls, and constrained unless least squares was asked for; before it that of a chart, if
  /// one was.
  std::vector<Estimate> estimates;
  std::optional<Optimum> optimum;  ///< none if least squares was asked for
  SecondPass second_pass;
  std::vector<SolveCount> solves;           ///< who solved the batches behind it
  std::vector<std::string> accepted;        ///< ids of doubts that somebody has looked into
  std::map<std::string, double> timings_s;  ///< seconds by stage

  /// Of the robot's own channels, even if the data's are whitened.
  const RegressorPlan& plan() const {
    return data.plan->whitened_from ? *data.plan->whitened_from : *data.plan;
  }

  /// Rows not used, by reason, over all logs.
  DroppedRows dropped() const;

  /// The estimate that was asked for.
  const Estimate& answer() const { return estimates.back(); }
};

/// Fits least squares, ordinary and weighted, what the data leave open taken from the prior; then,
/// unless the options ask for least squares, chooses the weight of the prior if they leave it open,
/// solves the convex problem of FORMULAS 2 and 3, certifies the answer and says how sure it is.
/// Fits are those of the moments, exact to about 1e-8 of the torque; of re-weighted data (Huber,
/// whitened channels) they are those of the weighted rows.
///
/// An answer without certificate is not an error: see Solution::status and Certificate::certified.
/// The setup must be of the data's robot. Errors: those of make_problem, choose_prior_weight and
/// fit_weighted; a solver that ends without a point; stopped().
Result<Identification> estimate(TrainingData data, Setup setup, Executor& executor,
                                const EstimationOptions& options = {},
                                const Progress& progress = {});

/// The convex problem that estimate() solves, from the sums alone and with the setup's weight of
/// the prior: so that one batch solves the problems of many robots, whose estimates then take its
/// solutions by EstimationOptions::solver. Errors: those of make_problem and fit_weighted.
Result<Problem> problem_of(const Moments& moments, const Setup& setup,
                           const EstimationOptions& options);

}  // namespace heft
#pragma GCC visibility pop
