// Names of the inputs and outputs of a fleet stage, for programs that copy pieces between a remote
// store (objects on a network) and a local folder in which heft fleet works. Threads: one call at a
// time on one store from this process; any number of processes may share it.
#pragma once

#include <string>
#include <vector>

#include "fleet/run.hpp"
#include "heft/base/enum_names.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// A stage, by the pieces that it reads or makes.
enum class PieceStage {
  digests,     ///< names under which the store records the digests of logs; reads no log
  map,         ///< the leaf of a log
  reduce,      ///< leaves, and their sums for robots with many logs or with a population prior
  population,  ///< sums of a model's robots, and the priors made from them
  solve,       ///< everything that a result is made from, and the result
};

template <>
struct EnumNames<PieceStage> {
  static constexpr EnumName<PieceStage> kList[] = {{PieceStage::digests, "digests"},
                                                   {PieceStage::map, "map"},
                                                   {PieceStage::reduce, "reduce"},
                                                   {PieceStage::population, "population"},
                                                   {PieceStage::solve, "solve"}};
};

/// Returns the paths, relative to the store, of the pieces that the stage reads or makes for the
/// shard's work, in its order, whether they exist or not; for results the folder, with a slash at
/// the end. Logs whose digest the store does not know are read, except for `digests`.
/// `options.configuration_of` is required. A training log counts unless a failure records that it
/// has no leaf. Robots with errors are excluded. With a population prior, the names of priors and
/// results depend on which leaves of all robots exist (not on their contents), and on all failures.
/// Errors: those of the store; stopped().
Result<std::vector<std::string>> pieces_of(const FleetPlan& plan, const FleetOptions& options,
                                           PieceStage stage);

/// Properties that all processes sharing a store must agree on before pieces are copied.
struct FleetTerms {
  std::string options;                 ///< digest of the options behind results/, as in DIR/options
  bool uses_population_prior = false;  ///< results of some robots depend on the logs of others
};
/// Returns the terms of a plan. Errors: those of the store, which need not exist.
Result<FleetTerms> terms_of(const FleetPlan& plan, const FleetOptions& options);

}  // namespace heft
#pragma GCC visibility pop
