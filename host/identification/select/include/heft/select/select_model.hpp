// The model that chooses itself: columns, cut-off, delay and prior weight by forward selection on
// cross-validated error, from training logs only.
// Threads: any number of threads may call, each with objects of its own; what is const may be
// shared. Calls make threads of their own (BackendOptions).
#pragma once

#include "heft/identify/identify.hpp"
#include "heft/identify/selection.hpp"

#pragma GCC visibility push(default)
namespace heft {

enum class ColumnChoice { given, automatic };
enum class MenuChoice { built_in, none };

/// How select_model goes about it.
struct SelectionOptions {
  ColumnChoice columns = ColumnChoice::given;
  double min_gain = 0.01;  ///< share of the cross-validated error
  int folds = 10;
  int max_steps = 8;
  MenuChoice menu = MenuChoice::built_in;
  /// Columns that may be added, besides the menu; each is added to all its joints or not at all.
  std::vector<ColumnSpec> candidates = {};
};

/// Starts from the model of `options`, of which the request's setup is made, and adds, one at a
/// time, the option of the menu that takes most of the cross-validated error away, as long as that
/// is at least SelectionOptions::min_gain of it and more than one standard error of the folds'
/// differences. What is on the menu is the built-in one (docs/columns.md) and the candidates.
/// Prior, signs and physical consistency hold in every fold. All columns come from the moments of
/// one pass; cut-off and delay take a pass each that is tried. The same input gives the same bits.
///
/// Held-out logs only judge the steps. Errors: those of gather_training_data, blocked_folds and
/// estimate; an estimator without prior and constraints; stopped().
Result<Selection> select_model(const IdentifyRequest& request, const ModelOptions& options,
                               const SelectionOptions& selection = {});

/// The request with a model that was chosen. Errors: those of make_model.
Result<IdentifyRequest> with_choice(const IdentifyRequest& request, const ModelChoice& choice);

}  // namespace heft
#pragma GCC visibility pop
