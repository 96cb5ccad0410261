// Names of what a stage of a fleet reads and makes: for those who carry pieces between a store that
// is no folder (objects behind a network) and a folder in which heft fleet works. Threads: one call
// at a time on one store from here; any number of processes may share it.
#pragma once

#include <string>
#include <vector>

#include "fleet/run.hpp"
#include "heft/base/enum_names.hpp"

#pragma GCC visibility push(default)
namespace heft {

enum class PieceStage {
  digests,     ///< by what name the store knows which bytes a log has; no log is read
  map,         ///< what a log becomes
  reduce,      ///< leaves, and their sums of robots with many logs or with a population prior
  population,  ///< the sums of a model's robots, and what they say of each other
  solve,       ///< all that an answer is made of, and itself
};

template <>
struct EnumNames<PieceStage> {
  static constexpr EnumName<PieceStage> kList[] = {{PieceStage::digests, "digests"},
                                                   {PieceStage::map, "map"},
                                                   {PieceStage::reduce, "reduce"},
                                                   {PieceStage::population, "population"},
                                                   {PieceStage::solve, "solve"}};
};

/// Paths below the store of the pieces that the stage reads or makes in the shard's work, whether
/// they are there or not, in their order; of results the folder, with a slash at its end. Logs
/// whose bytes the store does not know are read, but for `digests`. `options.configuration_of` must
/// be given. A training log counts unless a failure says that it has no leaf. Robots with errors
/// are left out. With a population prior, the names of priors and answers depend on which leaves of
/// all robots are there (their bytes do not matter), and on all failures. Errors: those of the
/// store; stopped().
Result<std::vector<std::string>> pieces_of(const FleetPlan& plan, const FleetOptions& options,
                                           PieceStage stage);

/// What those who share a store agree about before pieces are carried.
struct FleetTerms {
  std::string options;                 ///< digest of what results/ is of, as in DIR/options
  bool uses_population_prior = false;  ///< answers of some robots depend on the logs of others
};
/// Errors: those of the store, which need not be there.
Result<FleetTerms> terms_of(const FleetPlan& plan, const FleetOptions& options);

}  // namespace heft
#pragma GCC visibility pop
