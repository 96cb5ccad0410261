// Map and reduce: a log becomes a leaf, its moments; leaves of a robot are summed along their trie.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "robot_setup.hpp"
#include "store.hpp"
#include "training/sample_source.hpp"
#include "trie.hpp"

namespace heft {

/// A robot of more leaves than that has sums of subtrees in the store: each is a block of the error
/// bars, or several are. Of so many or fewer all leaves are needed, and their sum is made of them.
inline constexpr std::size_t kManyLeaves = 48;
inline bool keeps_sums(std::size_t num_leaves) {
  return num_leaves > kManyLeaves;
}

inline constexpr double kMaxKept = 8e6;  ///< bytes of conditioned logs that a robot keeps until it
                                         ///< has its answer

struct MadeLeaf {
  TrainingData data;
  std::optional<ConditionedLog> log;  ///< what it was made of, if that is small
  std::string temporary;              ///< the file that put() makes the leaf
};

/// Leaves that were just made, by their keys: they need not be read from the store.
using MadeLeaves = std::map<std::string, MadeLeaf>;

/// The logs of these leaves as they were conditioned, in the order of `keys`, taken out of `made`;
/// none unless all are there, each once.
std::vector<ConditionedLog> take_logs(const std::vector<std::string>& keys, MadeLeaves& made);

/// Reads the log of a row, makes its leaf and writes it aside. `sha256`: what the log's bytes are
/// known to be; `most_kept`: bytes of the conditioned log that are kept beside. Errors: those of
/// accumulate(); a log that changed meanwhile; a full disk; stopped().
Result<MadeLeaf> make_leaf(const FleetRow& row, const std::string& sha256, double most_kept,
                           const RobotSetup& robot, const FleetStore& store,
                           const Progress& progress);

/// The sum of all leaves of a trie, which must be there; of many, what is not summed yet is summed
/// along the trie and put into the store. Errors: a leaf that is not there or damaged; a full disk;
/// stopped().
Result<Moments> sum_of_leaves(const std::vector<TrieNode>& trie, const RobotSetup& robot,
                              const FleetStore& store, const Progress& progress);
/// The same, with sums in the store however few leaves there are: the population prior is learned
/// from them again and again.
Result<Moments> kept_sum_of_leaves(const std::vector<TrieNode>& trie, const RobotSetup& robot,
                                   const FleetStore& store, const Progress& progress);

/// Training data as heft identify gathers them from the logs of these rows, row k of the leaf
/// keys[k]; leaves of `made` are taken from there. Stretches are those of the leaves in the order
/// of their keys, or, of many leaves, sums of subtrees. Errors as above.
Result<TrainingData> training_data_of(const std::vector<FleetRow>& rows,
                                      const std::vector<std::string>& keys, MadeLeaves made,
                                      const RobotSetup& robot, const FleetStore& store,
                                      const Progress& progress);

}  // namespace heft
