// The model that chooses itself: columns, cut-off, delay and prior weight by forward selection on
// cross-validated error, from training logs only.
#pragma once

#include "heft/identify/identify.hpp"
#include "heft/identify/selection.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Starts from the configured model and adds, one at a time, the option of the menu that takes most of the
/// cross-validated error away, as long as that is at least selection.min_gain of it and more than one standard
/// error of the folds' differences. Options are the built-in menu (docs/columns.md) and
/// configuration.candidates. Prior, signs and physical consistency hold in every fold. All columns come from
/// the moments of one pass; cut-off and delay take a pass each that is tried. The same input gives the same
/// bits.
///
/// Held-out logs only judge the steps. Errors: those of gather_training_data, blocked_folds and estimate; an
/// estimator without prior and constraints.
Result<Selection> select_model(const IdentifyRequest& request);

/// identify(), on the chosen model if the configuration leaves the columns to the data.
Result<Identification> identify_selected(IdentifyRequest request);

/// Writes chosen.yaml into a result's directory, whole or not at all: the configuration that gives the result
/// without the search. Returns its path.
Result<std::string> write_chosen_configuration(const Selection& selection, const std::string& directory);

/// Removes the chosen.yaml of an earlier answer, which another one must not stand beside; of that name no file but one that
/// write_chosen_configuration wrote.
void remove_chosen_configuration(const std::string& directory);

}  // namespace heft
#pragma GCC visibility pop
