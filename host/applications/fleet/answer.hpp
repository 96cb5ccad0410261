// Solves and validates: turns a robot's sums and held-out logs into the result files of heft
// identify, and into a record of what the fleet needs from them.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "answer_record.hpp"
#include "leaf.hpp"
#include "robot_setup.hpp"
#include "store.hpp"

namespace heft {

/// Input of a robot's identification, without duplicates; rows in the order of their logs' digests.
struct AnswerInput {
  std::vector<FleetRow> training, validation;
  std::vector<std::string> leaf_keys;  ///< of the training rows; digests if the robot is identified
                                       ///< as a whole
  std::vector<std::string> validation_keys;
  std::string root;                   ///< key of the sum of all leaves
  std::string population;             ///< key of the population behind the prior; empty: none
  std::vector<std::string> accepted;  ///< ids of accepted doubts
  bool writes_page = true;
  int num_threads = 1;  ///< threads for this robot; the answer does not depend on their number
  std::shared_ptr<RobotConditioner> device;                ///< conditions logs; null: the host does
  std::shared_ptr<LogsInMemory> read;                      ///< logs that it has conditioned already
  std::function<Result<Solution>(const Problem&)> solver;  ///< solves the convex problem, for
                                                           ///< robots whose answer is computed from
                                                           ///< leaves

  std::string key(const RobotSetup& robot) const;
};

/// SHA-256 of result.json without the content that depends on the clock, the machine's paths or its
/// speed: timings and reading times are removed, files are named by their digests.
std::string digest_of_result(const nlohmann::ordered_json& result);

/// Writes the files of a result into `directory` and its record into the store, one process at a
/// time; does nothing if another process has left the same answer. Moves a damaged record aside
/// first. `leaves`: leaves that need not be read from the store. Errors: those of identify; a full
/// disk; stopped().
Result<Done> make_answer(const AnswerInput& input, MadeLeaves leaves, const RobotSetup& robot,
                         const std::string& robot_path, const std::string& directory,
                         const FleetStore& store, const Progress& progress);

/// Returns the record of an answer from the store, whether or not its result files exist; empty if
/// it is missing or damaged.
std::optional<AnswerRecord> stored_record(const std::string& key, const FleetStore& store);

/// Returns whether the store has the record of this answer with a matching digest, and `directory`
/// has its files unchanged, including the page if requested.
bool has_answer(const std::string& directory, const std::string& key, bool needs_page,
                const FleetStore& store);

/// Returns the record of an existing answer; empty if has_answer() is false.
std::optional<AnswerRecord> answer_record(const std::string& directory, const std::string& key,
                                          bool needs_page, const FleetStore& store);

}  // namespace heft
