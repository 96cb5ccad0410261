// Model selection: columns, cutoff, delay and prior weight by forward selection on cross-validated
// error, from training logs only. Threads: safe to call from several threads on separate objects;
// const objects may be shared. Calls create their own threads (BackendOptions).
#pragma once

#include "heft/identify/identify.hpp"
#include "heft/identify/selection.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Whether columns are fixed or selected.
enum class ColumnChoice { given, automatic };
/// Whether the built-in menu of additions is used.
enum class MenuChoice { built_in, none };

/// Columns that the selection of a model may add, and the gain at which it stops.
struct SelectionOptions {
  ColumnChoice columns = ColumnChoice::given;
  double min_gain = 0.01;  ///< smallest accepted gain, as a fraction of the cross-validated error
  int folds = 10;
  int max_steps = 8;
  MenuChoice menu = MenuChoice::built_in;
  /// Columns that may be added, in addition to the menu; each is added to all its joints or to
  /// none.
  std::vector<ColumnSpec> candidates = {};
};

/// Selects a model. Starts from the model of `options`, from which the request's setup was made,
/// with the weight of choose_prior_weight, and repeatedly adds the option that reduces the
/// cross-validated error most. The reduction must be at least SelectionOptions::min_gain of the
/// error in `folds` folds and in half as many, at least 2e-4 of the torque, and on average of both
/// more than one standard error of the folds' differences: two where an unknown has a free sign or
/// weights come from residuals. When no column is worth adding, removes one that is no longer worth
/// it beside the others (the step "without X"), or exchanges it for a better one ("Y
/// instead of X").
/// Logs with less than four folds of four time constants of the filter take only the weight. The
/// options are those of the built-in menu (docs/columns.md) and the candidates. Prior, signs and
/// physical consistency apply in every fold. All columns come from the moments of one pass; every
/// tested cutoff or delay takes another pass. The same input gives the same bits.
///
/// Held-out logs are used only to report the errors of the steps. Errors: those of
/// gather_training_data, blocked_folds and estimate; an estimator without prior and constraints;
/// stopped().
Result<Selection> select_model(const IdentifyRequest& request, const ModelOptions& options,
                               const SelectionOptions& selection = {});

/// Returns the request with a chosen model. Errors: those of make_model.
Result<IdentifyRequest> with_choice(const IdentifyRequest& request, const ModelChoice& choice);

}  // namespace heft
#pragma GCC visibility pop
