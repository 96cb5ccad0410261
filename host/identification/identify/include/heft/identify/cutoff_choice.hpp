// The cutoff of the low-pass by blocked cross-validation on the training logs.
// Threads: any number of threads may call, each with objects of its own; what is const may be
// shared.
#pragma once

#include <optional>
#include <vector>

#include "heft/base/result.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct IdentifyRequest;

struct CutoffTrial {
  double cutoff_hz = 0;
  double relative_error = 0;  ///< of the torques held out, over all folds, motion and torque at
                              ///< this cutoff
  double loss = 0;  ///< mean over all cutoffs of log(error there / least error there), learned at
                    ///< this cutoff
};

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

}  // namespace heft
#pragma GCC visibility pop
