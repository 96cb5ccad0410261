// Which mistake in the columns of a log, if one, makes of a poor explanation a good one: signs and
// order of joints whose torques friction and rotors hide from the robot's file. Each is undone and
// the constrained problem solved again, with the bodies free to follow.
#pragma once

#include <optional>
#include <vector>

#include "evidence/hypotheses.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct MistakenColumns {
  Finding finding;
  bool held_out_too = false;  ///< the held-out logs are explained better with it undone
};

/// The one of `possible` findings whose undoing takes most of what is left, in words; nothing where
/// none takes enough on training and held-out logs, or two take about as much. Errors: those of the
/// backend and of solving; stopped().
Result<std::optional<MistakenColumns>> mistaken_columns(const HypothesisInput& input,
                                                        const std::vector<Finding>& possible,
                                                        int num_threads,
                                                        const Progress& progress = {});

}  // namespace heft
#pragma GCC visibility pop
