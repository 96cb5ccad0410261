// What is chosen by cross-validation on the training logs, and how it was found: the cutoff of the
// low-pass, the prior weight, and columns, filter and delay (docs/columns.md). Threads: any number
// of threads may call, each with objects of its own; what is const may be shared.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/executor/executor.hpp"
#include "heft/setup/setup.hpp"
#include "heft/training/training_data.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct EstimationOptions;
struct IdentifyRequest;

struct CutoffTrial {
  double cutoff_hz = 0;
  double relative_error = 0;  ///< of the torques held out, over all folds, motion and torque at
                              ///< this cutoff
  double loss = 0;  ///< mean over all cutoffs of log(error there / least error there), learned at
                    ///< this cutoff
};

/// By blocked cross-validation on the training logs.
struct CutoffChoice {
  double cutoff_hz = 0;                  ///< in force
  bool is_chosen = false;                ///< by lowpass_hz: auto
  std::vector<CutoffTrial> trials = {};  ///< by increasing cutoff; empty if the cutoff was given
  int num_folds = 0;                     ///< of the trials
  /// Relative errors on training rows that were held out, at the cutoff, at half and at twice of
  /// it; empty where they were not compared or the logs do not allow it.
  std::optional<double> error = {}, half_error = {}, twice_error = {};
};

/// Returns the cutoff of a ladder from 1 to 30 Hz whose parameters predict best: those of each
/// cutoff predict what is held out at every cutoff. Among cutoffs that lose no more than a tenth
/// over the best on average, takes the one with the least error of its own, so that a low cutoff
/// does not win by hiding noise from the error. Reads at most 50 000 rows once; a pass in memory
/// and five solutions a cutoff. Errors: no cutoff of the ladder fits the logs; stopped().
Result<CutoffChoice> choose_cutoff(const IdentifyRequest& request);

/// Sets the errors at the cutoff of the choice, at half and at twice of it, other options as in the
/// request: on the last fifth of the first 3000 rows of a training log, learned from the others.
/// One pass in memory and one solution each. Errors: stopped().
Result<Done> compare_cutoffs(const IdentifyRequest& request, CutoffChoice& choice);

struct WeightTrial {
  double weight = 0;          ///< w of FORMULAS 2
  double relative_error = 0;  ///< of the torques held out, over all folds: sqrt(sum e^2 / sum
                              ///< tau^2)
  /// How much worse than the best weight, in standard errors of the folds' differences.
  double excess = 0;
};

/// By blocked cross-validation on training data, from their moments alone.
struct WeightChoice {
  double weight = 0;
  std::vector<WeightTrial> trials;  ///< by increasing weight
  double gap_s = 0;                 ///< between what is held out and what is learned from
  bool gap_is_full = false;         ///< whether filtered noise loses its memory in it (Folds)
};

/// Solves the constrained problem on every fold at weights from 1e-4 to 3 in half decades, all in
/// one batch. Of the weights whose error on what was held out is within one standard error of the
/// least, chooses the one nearest to the default (that of setup.prior): few folds of correlated
/// data deceive, and where they cannot tell weights apart, the default has been right more often
/// [the rule: Breiman et al. 1984]. Channels are weighted in every fold as in estimate(). Errors of
/// blocked_folds, fit_weighted and make_problem; a prior without weight; no weight at which all
/// folds have an optimum.
Result<WeightChoice> choose_prior_weight(const TrainingData& data, const Setup& setup,
                                         Executor& executor, const EstimationOptions& options,
                                         const Progress& progress = {});

/// Everything that a search may change.
struct ModelChoice {
  ModelOptions model;
  ConditioningOptions conditioning;
  RowWeightingOptions weighting;
  double weight_of_prior = 0;  ///< w of FORMULAS 2
};

/// One model on the path, from the configured one to the chosen one.
struct SelectionStep {
  std::string option;          ///< what was added; of the first step "as configured"
  ModelChoice choice;          ///< the model with it
  double relative_error = 0;   ///< cross-validated on the training logs: sqrt(sum e^2 / sum tau^2)
  double gain = 0;             ///< share of the error before it
  double standard_errors = 0;  ///< the gain in standard errors of the folds' differences
  std::optional<double> held_out_error;  ///< overall_relative on the held-out logs, which chose
                                         ///< nothing
};

/// An option that is not in the chosen model, when it was tried last.
struct SelectionRefusal {
  std::string option;
  double gain = 0;  ///< share of the cross-validated error of the model that it was tried on
  double standard_errors = 0;
  std::string reason;
};

/// Of columns, filter and delay.
struct Selection {
  ModelChoice chosen;  ///< gives the same answer without the search
  std::vector<SelectionStep> steps;
  std::vector<SelectionRefusal> refused;
  int num_options = 0;  ///< additions that were tried, each at every step until it was added
  int num_passes = 0;   ///< over the samples, for all of them
  int num_solves = 0;   ///< convex problems solved from moments
  int num_folds = 0;
  double gap_s = 0;          ///< between what is held out and what is learned from
  bool gap_is_full = false;  ///< whether filtered noise loses its memory in it (Folds)
};

}  // namespace heft
#pragma GCC visibility pop
