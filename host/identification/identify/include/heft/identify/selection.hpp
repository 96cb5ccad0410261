// What the search for columns, filter and delay found, and how it got there (docs/columns.md).
// Threads: plain values: share them for reading; a thread that changes one must own it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heft/setup/setup.hpp"
#include "heft/training/gather_options.hpp"

#pragma GCC visibility push(default)
namespace heft {

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
