#include "heft/identify/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "heft/identify/identify.hpp"
#include "heft/solve/problem.hpp"
#include "identify/cross_validation.hpp"
#include "identify/gathering.hpp"
#include "subset_request.hpp"
#include "training/folds.hpp"

namespace heft {

namespace {

constexpr double kLadder[] = {1, 1.5, 2, 3, 4, 6, 8, 10, 14, 20, 30};  // [Hz]
constexpr double kHighestCutoff = 0.4;                                 ///< of the logs' rate
constexpr std::int64_t kRowsToChoose = 50000, kRowsToCompare = 3000;
constexpr int kFoldsOfCutoffs = 5;
constexpr double kAlikeLoss = 0.1;  ///< results as good as the best at all cutoffs

/// Parts of the training logs, conditioned at one cutoff.
struct FoldsAtCutoff {
  double cutoff_hz = 0;
  double rate_hz = 0;  ///< of the slowest log
  std::vector<Fold> folds;
};

/// The last `num_folds` of the folds: logs often begin with a standstill. Empty if the logs are too
/// short for a low cutoff or too slow for a high one.
Result<std::optional<FoldsAtCutoff>> folds_at(double cutoff_hz, int num_folds,
                                              const IdentifyRequest& part) {
  GatherOptions gathering = part.gathering;
  // a cutoff of its own on the torque keeps its ratio
  gathering.conditioning.torque_lowpass_hz *= cutoff_hz / gathering.conditioning.lowpass_hz;
  gathering.conditioning.lowpass_hz = cutoff_hz;
  SampleSource source(part.training_logs, part.setup.model, gathering, gathering.max_samples);
  source.condition_on(part.executor->num_threads());
  source.keep_nothing();
  const Progress progress = [&](const std::string&, double fraction) {
    return !part.progress ||
           part.progress(fmt::format("comparing cutoffs, {:g} Hz", cutoff_hz), fraction);
  };
  auto data = gather(source, part.setup, gathering, part.estimation, *part.executor, progress);
  if (!data && data.error().is_stop) return data.error();
  if (!data) return std::optional<FoldsAtCutoff>();
  auto cut = blocked_folds(data->plain, kFoldsOfCutoffs, part.executor->num_threads());
  if (!cut) return std::optional<FoldsAtCutoff>();
  cut->folds.erase(cut->folds.begin(), cut->folds.end() - num_folds);
  FoldsAtCutoff made{cutoff_hz, std::numeric_limits<double>::infinity(), std::move(cut->folds)};
  for (const LogSummary& log : data->plain.logs) made.rate_hz = std::min(made.rate_hz, log.rate_hz);
  return std::optional<FoldsAtCutoff>(std::move(made));
}

/// Parameters by the training part of every fold; none if one has no optimum.
Result<std::vector<Eigen::VectorXd>> parameters_of(const FoldsAtCutoff& at,
                                                   const IdentifyRequest& part) {
  constexpr double kGap = 1e-6;  // far below the differences that decide the choice
  const Setup& setup = part.setup;
  HEFT_TRY(weights, fold_weights(at.folds, part.estimation, part.executor->num_threads()));
  const auto make = [&](int k) {
    const auto fold = static_cast<std::size_t>(k);
    const Moments& training = at.folds[fold].training;
    return make_problem(training.plan->layout, normal_equations(training, weights[fold]),
                        setup.prior, setup.constraints);
  };
  SolveOptions options = part.estimation.solve;
  options.gap_tolerance = std::max(options.gap_tolerance, kGap);
  HEFT_TRY(solutions,
           part.executor->solve_made("choice of the cutoff", static_cast<int>(at.folds.size()),
                                     make, options, part.progress));
  std::vector<Eigen::VectorXd> parameters;
  for (const Solution& solution : solutions) {
    if (solution.status != SolveStatus::optimal) return std::vector<Eigen::VectorXd>{};
    parameters.emplace_back(solution.x.head(setup.plan().layout.num_parameters()));
  }
  return parameters;
}

/// Relative error of the parameters of one cutoff on the held-out parts at another.
double error_at(const std::vector<Eigen::VectorXd>& parameters, const std::vector<Fold>& folds) {
  double error2 = 0, torque2 = 0;
  for (std::size_t k = 0; k < folds.size(); ++k) {
    error2 += squared_error(folds[k].held_out, parameters[k]);
    torque2 += squared_error(folds[k].held_out, Eigen::VectorXd::Zero(parameters[k].size()));
  }
  return std::sqrt(error2 / torque2);
}

Error no_cutoff_fits() {
  return {"conditioning.lowpass_hz",
          "no cutoff from 1 to 30 Hz leaves enough of the training logs for cross-validation",
          "record longer, or set a cutoff, e.g. 10"};
}

/// One trial per usable cutoff.
Result<std::vector<CutoffTrial>> trials_at(const std::vector<double>& cutoffs, int num_folds,
                                           const IdentifyRequest& part) {
  std::vector<FoldsAtCutoff> judged;
  std::vector<std::vector<Eigen::VectorXd>> learned;
  for (const double cutoff_hz : cutoffs) {
    if (!judged.empty() && cutoff_hz > kHighestCutoff * judged.front().rate_hz) break;
    HEFT_TRY(made, folds_at(cutoff_hz, num_folds, part));
    if (!made) continue;
    HEFT_TRY(parameters, parameters_of(*made, part));
    if (parameters.empty()) continue;
    judged.push_back(std::move(*made));
    learned.push_back(std::move(parameters));
  }
  const auto count = std::ssize(judged);
  Eigen::MatrixXd errors(count, count);  // of parameters learned at one, judged at another
  for (Eigen::Index i = 0; i < count; ++i)
    for (Eigen::Index j = 0; j < count; ++j)
      errors(i, j) =
          error_at(learned[static_cast<std::size_t>(i)], judged[static_cast<std::size_t>(j)].folds);
  std::vector<CutoffTrial> trials;
  for (Eigen::Index i = 0; i < count; ++i) {
    const Eigen::ArrayXd ratios =
        (errors.row(i).array() / errors.colwise().minCoeff().array()).transpose();
    trials.push_back(
        {judged[static_cast<std::size_t>(i)].cutoff_hz, errors(i, i), ratios.log().mean()});
  }
  return trials;
}

}  // namespace

Result<CutoffChoice> choose_cutoff(const IdentifyRequest& request) {
  HEFT_TRY(executor, executor_of(request));
  const IdentifyRequest part = subset_request(request, kRowsToChoose, std::move(executor));
  HEFT_TRY(trials, trials_at({std::begin(kLadder), std::end(kLadder)}, kFoldsOfCutoffs, part));
  double least_loss = std::numeric_limits<double>::infinity();
  for (const CutoffTrial& trial : trials) least_loss = std::min(least_loss, trial.loss);
  const CutoffTrial* best = nullptr;
  for (const CutoffTrial& trial : trials)
    if (trial.loss <= least_loss + kAlikeLoss &&
        (!best || trial.relative_error < best->relative_error))
      best = &trial;
  if (!best) return no_cutoff_fits();
  CutoffChoice choice{
      .cutoff_hz = best->cutoff_hz, .is_chosen = true, .error = best->relative_error};
  choice.num_folds = kFoldsOfCutoffs;
  choice.trials = std::move(trials);
  return choice;
}

Result<Done> compare_cutoffs(const IdentifyRequest& request, CutoffChoice& choice) {
  HEFT_TRY(executor, executor_of(request));
  const IdentifyRequest part = subset_request(request, kRowsToCompare, std::move(executor));
  const double cutoff_hz = choice.cutoff_hz;
  const auto trials = trials_at({0.5 * cutoff_hz, cutoff_hz, 2 * cutoff_hz}, 1, part);
  // logs that cannot be compared keep their result
  if (!trials) return trials.error().is_stop ? Result<Done>(trials.error()) : Result<Done>(Done{});
  for (const CutoffTrial& trial : *trials)
    (trial.cutoff_hz < cutoff_hz   ? choice.half_error
     : trial.cutoff_hz > cutoff_hz ? choice.twice_error
                                   : choice.error) = trial.relative_error;
  return Done{};
}

}  // namespace heft
