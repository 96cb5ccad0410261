// Options selected by cross-validation on the training logs, with the trials: the cutoff of the
// low-pass, the prior weight, and columns, filter and delay (docs/columns.md). Threads: safe to
// call from several threads on separate objects; const objects may be shared.
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

/// One tested cutoff.
struct CutoffTrial {
  double cutoff_hz = 0;
  double relative_error = 0;  ///< on held-out torques, over all folds, with motion and torque at
                              ///< this cutoff
  double loss = 0;            ///< of parameters estimated at this cutoff: mean over all cutoffs of
                              ///< log(error there / smallest error there)
};

/// The cutoff of the low-pass, by blocked cross-validation on the training logs.
struct CutoffChoice {
  double cutoff_hz = 0;                  ///< the cutoff in use
  bool is_chosen = false;                ///< requested by lowpass_hz: auto
  std::vector<CutoffTrial> trials = {};  ///< by increasing cutoff; empty if the cutoff was given
  int num_folds = 0;                     ///< number of folds of the trials
  /// Relative errors on held-out training rows at the cutoff, at half and at twice the cutoff;
  /// empty if they were not compared or the logs do not allow it.
  std::optional<double> error = {}, half_error = {}, twice_error = {};
};

/// Returns the cutoff from 1 to 30 Hz whose parameters predict best: the parameters of each
/// cutoff predict the held-out data at every cutoff. Among cutoffs whose mean loss exceeds the
/// smallest by at most a tenth, it takes the one with the smallest error of its own, so that a low
/// cutoff cannot win by removing noise from the error. Reads at most 50 000 rows once; every
/// cutoff takes one pass in memory and five solutions. Errors: no tested cutoff fits the logs;
/// stopped().
Result<CutoffChoice> choose_cutoff(const IdentifyRequest& request);

/// Sets the errors at the chosen cutoff, at half and at twice the cutoff, with the other options
/// of the request: estimated from the first 3000 rows of a training log except the last fifth,
/// which is held out. One pass in memory and one solution each. Errors: stopped().
Result<Done> compare_cutoffs(const IdentifyRequest& request, CutoffChoice& choice);

/// One tested weight of the prior.
struct WeightTrial {
  double weight = 0;          ///< w of FORMULAS 2
  double relative_error = 0;  ///< on held-out torques, over all folds: sqrt(sum e^2 / sum tau^2)
  /// Excess over the error of the best weight, in standard errors of the folds' differences.
  double excess = 0;
};

/// The weight of the prior, by blocked cross-validation on the moments of training data.
struct WeightChoice {
  double weight = 0;
  std::vector<WeightTrial> trials;  ///< by increasing weight
  double gap_s = 0;                 ///< time between held-out and training data
  bool gap_is_full = false;  ///< true if filtered noise is uncorrelated across the gap (Folds)
};

/// Chooses the weight of the prior. Solves the constrained problem on every fold at weights from
/// 1e-4 to 3 in half decades, all in one batch, and at further ones, from 1e-8 to 300, while the
/// smallest error is at an end of the range. Among the weights whose held-out error is within
/// one standard error of the smallest, takes the one nearest to the default (that of setup.prior):
/// a few folds of correlated data are unreliable, and where they cannot distinguish weights, the
/// default has been right more often [the rule: Breiman et al. 1984]. Channels are weighted in
/// every fold as in estimate(). Errors: those of blocked_folds, fit_weighted and make_problem; a
/// prior without weight; no weight at which all folds have an optimum.
Result<WeightChoice> choose_prior_weight(const TrainingData& data, const Setup& setup,
                                         Executor& executor, const EstimationOptions& options,
                                         const Progress& progress = {});

/// All options that a search may change.
struct ModelChoice {
  ModelOptions model;
  ConditioningOptions conditioning;
  RowWeightingOptions weighting;
  double weight_of_prior = 0;  ///< w of FORMULAS 2
};

/// One step of a search, from the configured model to the chosen one.
struct SelectionStep {
  std::string option;          ///< added option; "as configured" for the first step
  ModelChoice choice;          ///< the model including the option
  double relative_error = 0;   ///< cross-validated on the training logs: sqrt(sum e^2 / sum tau^2)
  double gain = 0;             ///< fraction of the previous error
  double standard_errors = 0;  ///< the gain in standard errors of the folds' differences
  std::optional<double> held_out_error;  ///< overall_relative on the held-out logs, which are not
                                         ///< used by the search
  std::string family = {};               ///< group of similar options that exclude each other
};

/// An option that the chosen model lacks, with the result of its last trial.
struct SelectionRefusal {
  std::string option;
  double gain = 0;  ///< fraction of the cross-validated error of the model to which it was added
  double standard_errors = 0;
  std::string reason;
};

/// A search over columns, filter and delay.
struct Selection {
  ModelChoice chosen;  ///< gives the same result without the search
  std::vector<SelectionStep> steps;
  std::vector<SelectionRefusal> refused;
  int num_options = 0;  ///< number of tested additions; each is tested at every step until it is
                        ///< added
  int num_passes = 0;   ///< number of passes over the samples
  int num_solves = 0;   ///< number of convex problems solved from moments
  int num_folds = 0;
  double gap_s = 0;          ///< time between held-out and training data
  bool gap_is_full = false;  ///< true if filtered noise is uncorrelated across the gap (Folds)
};

}  // namespace heft
#pragma GCC visibility pop
