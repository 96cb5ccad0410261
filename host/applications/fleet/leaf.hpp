// Map and reduce: a log becomes a leaf with its moments; the leaves of a robot are summed along
// their trie.
//
// Stretches of a short log take more space than the log. The store then has only their sum, and
// stages that need stretches sum the log again, which they read anyway to compare torques.
//
// `device`: conditions the logs that it can; null: the host conditions all. `read`: logs that it
// has conditioned already, which are moved out; null: none.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "read_together.hpp"
#include "robot_setup.hpp"
#include "shared_conditioner.hpp"
#include "store.hpp"
#include "training/sample_source.hpp"
#include "trie.hpp"

namespace heft {

/// Maximum number of leaves that are summed directly. A robot with more leaves stores sums of
/// subtrees; each sum, or a group of them, is one block of the error bars.
inline constexpr std::size_t kManyLeaves = 48;
inline bool keeps_sums(std::size_t num_leaves) {
  return num_leaves > kManyLeaves;
}

inline constexpr double kMaxKept = 8e6;  ///< bytes of conditioned logs kept per robot until its
                                         ///< answer is done

/// Largest share of a log's conditioned samples that stretches in its leaf may take.
inline constexpr double kMostOfLog = 0.125;

/// Returns whether the leaf of a log has its stretches, by the log's number of samples.
bool keeps_stretches(const LogSummary& log, const RobotSetup& robot);

struct MadeLeaf {
  TrainingData data;
  std::optional<ConditionedLog> log;  ///< the conditioned log, if it is small
  std::optional<Log> rows;            ///< the log with its rows in memory, if it is small
  std::string temporary;              ///< file that put() turns into the leaf
};

/// New leaves by their keys, which need not be read from the store.
using MadeLeaves = std::map<std::string, MadeLeaf>;

/// Adds to `made` the leaves of these rows that the store has without stretches; row k has the leaf
/// keys[k]. Keeps the conditioned logs of all leaves, if they are small. Leaves damaged ones to
/// training_data_of(). Errors: those of reading the logs; stopped().
Result<Done> add_stretches(const std::vector<FleetRow>& rows, const std::vector<std::string>& keys,
                           MadeLeaves& made, const RobotSetup& robot, const FleetStore& store,
                           const Progress& progress,
                           const std::shared_ptr<RobotConditioner>& device = nullptr,
                           LogsInMemory* read = nullptr);

/// Replaces logs by those that their leaves keep in memory.
void use_kept_rows(const std::vector<std::string>& keys, const MadeLeaves& made,
                   std::vector<Log>& logs);

/// Moves the conditioned logs of these leaves out of `made`, in the order of `keys`; empty unless
/// all are present, each once.
std::vector<ConditionedLog> take_logs(const std::vector<std::string>& keys, MadeLeaves& made);

/// Reads the log of a row, computes its leaf and writes it to a temporary file. `sha256`: known
/// digest of the log; `most_kept`: largest conditioned log, in bytes, that is kept in memory.
/// Errors: those of accumulate(); a log that changed while it was read; a full disk; stopped().
Result<MadeLeaf> make_leaf(const FleetRow& row, const std::string& sha256, double most_kept,
                           const RobotSetup& robot, const FleetStore& store,
                           const Progress& progress,
                           const std::shared_ptr<RobotConditioner>& device = nullptr,
                           LogsInMemory* read = nullptr);

/// Returns the sum of all leaves of a trie, which must exist. For many leaves, computes missing
/// sums along the trie and stores them. Errors: a missing or damaged leaf; a full disk; stopped().
Result<Moments> sum_of_leaves(const std::vector<TrieNode>& trie, const RobotSetup& robot,
                              const FleetStore& store, const Progress& progress);
/// Does the same but stores sums for any number of leaves, because the population prior reads them
/// repeatedly.
Result<Moments> kept_sum_of_leaves(const std::vector<TrieNode>& trie, const RobotSetup& robot,
                                   const FleetStore& store, const Progress& progress);

/// Returns the training data that heft identify gathers from the logs of these rows; row k has the
/// leaf keys[k]. Takes leaves from `made` where possible, and stretches that the store does not
/// have from the logs. Logs and stretches are in the order of rows; with many leaves, stretches are
/// sums of subtrees. Errors as above; those of reading the logs.
Result<TrainingData> training_data_of(const std::vector<FleetRow>& rows,
                                      const std::vector<std::string>& keys, MadeLeaves made,
                                      const RobotSetup& robot, const FleetStore& store,
                                      const Progress& progress,
                                      const std::shared_ptr<RobotConditioner>& device = nullptr);

}  // namespace heft
