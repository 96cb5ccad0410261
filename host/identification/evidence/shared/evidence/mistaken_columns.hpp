// Finds an error in the columns of a log whose correction turns a poor explanation into a good one:
// signs and order of joints whose torques in the robot's file are hidden by friction and rotors.
// Each is corrected and the constrained problem solved again, with free bodies.
#pragma once

#include <optional>
#include <vector>

#include "evidence/hypotheses.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// An error in the columns of a log.
struct MistakenColumns {
  Finding finding;
  bool held_out_too = false;  ///< the correction also improves the explanation of held-out logs
};

/// Returns the finding among `possible` whose correction reduces the residuals most, in words;
/// empty if none reduces those of training and held-out logs sufficiently, or if two reduce them
/// about equally. Errors: those of the backend and of solving; stopped().
Result<std::optional<MistakenColumns>> mistaken_columns(const HypothesisInput& input,
                                                        const std::vector<Finding>& possible,
                                                        int num_threads,
                                                        const Progress& progress = {});

}  // namespace heft
#pragma GCC visibility pop
