// Solve and validate: a robot's sums and held-out logs become the files that heft identify leaves,
// and a record of what the fleet needs to know of them.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "answer_record.hpp"
#include "leaf.hpp"
#include "robot_setup.hpp"
#include "store.hpp"

namespace heft {

/// What a robot is identified from, doubles taken out; rows in the order of their keys.
struct AnswerInput {
  std::vector<FleetRow> training, validation;
  std::vector<std::string> leaf_keys;  ///< of the training rows; if the robot is identified as a
                                       ///< whole, digests stand there
  std::vector<std::string> validation_keys;
  std::string root;                   ///< key of the sum of all leaves
  std::string population;             ///< key of the population that makes the prior; empty: none
  std::vector<std::string> accepted;  ///< ids of doubts
  bool writes_page = true;
  int num_threads = 1;  ///< that work on it; the answer does not depend on them
  std::function<Result<Solution>(const Problem&)> solver;  ///< of the convex problem, for robots
                                                           ///< whose answer comes from leaves

  std::string key(const RobotSetup& robot) const;
};

/// SHA-256 of result.json without what depends on the clock, the machine's paths or its speed:
/// timings and reading times go, files are called by their digests.
std::string digest_of_result(const nlohmann::ordered_json& result);

/// Writes the files of a result into `directory` and its record into the store, one driver at a
/// time: nothing is done where another has left the same answer. A record that is damaged is put
/// aside first. `leaves`: those that need not be read. Errors: those of identify; a full disk;
/// stopped().
Result<Done> make_answer(const AnswerInput& input, MadeLeaves leaves, const RobotSetup& robot,
                         const std::string& robot_path, const std::string& directory,
                         const FleetStore& store, const Progress& progress);

/// The record of an answer in the store, whatever results there are; none: it is not there, or not
/// as it was written.
std::optional<AnswerRecord> stored_record(const std::string& key, const FleetStore& store);

/// Whether the store has the record of this answer, as its digest vouches for, and `directory` its
/// files as they were written, with the page if one is asked for.
bool has_answer(const std::string& directory, const std::string& key, bool needs_page,
                const FleetStore& store);

/// The record of an answer that there is; empty: has_answer() says no.
std::optional<AnswerRecord> answer_record(const std::string& directory, const std::string& key,
                                          bool needs_page, const FleetStore& store);

}  // namespace heft
