// Torques from which a model was subtracted (check/missing_dynamics.hpp), confirmed with free
// bodies.
#pragma once

#include <optional>

#include "evidence/hypotheses.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// A subtracted model.
struct MissingModel {
  Finding finding;            ///< without its place
  bool held_out_too = false;  ///< also in the held-out logs; true if there are none
};

/// Returns the model that is missing in the training logs; gravity only if the constrained problem
/// explains them much better without it. Errors: those of the backend and of solving; stopped().
Result<std::optional<MissingModel>> missing_model(const HypothesisInput& input, int num_threads,
                                                  const Progress& progress = {});

}  // namespace heft
#pragma GCC visibility pop
