// A robot of the plan with known log digests: without duplicates, with the keys of all its pieces.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "answer.hpp"
#include "fleet/run.hpp"
#include "log_digests.hpp"

namespace heft {

struct ResolvedRobot {
  std::shared_ptr<const RobotSetup> setup;  ///< null: it could not be made, see errors
  AnswerInput input;
  std::vector<std::string> training_digests, validation_digests;  ///< of the logs, as in input
  std::vector<Error> errors;       ///< in addition to those of the plan
  std::vector<std::string> notes;  ///< in addition to those of the plan
  bool is_known = true;            ///< whether all digests are known
  bool has_answer = true;          ///< false: nothing can be identified

  std::string answer_key() const { return input.key(*setup); }
};

/// State of a robot's leaves.
struct LeafCheck {
  bool is_mapped = true;        ///< every leaf exists or has failed
  std::vector<Error> failures;  ///< of the leaves that failed
};

/// Removes training logs without a leaf. `made`: leaves that exist but are not stored yet.
LeafCheck keep_leaves_that_are_there(ResolvedRobot& robot, const FleetStore& store,
                                     const MadeLeaves& made = {});

/// Reads logs with unknown digests only if `reads` is true. Errors of the robot are recorded in the
/// result; stopped() is not recorded.
std::optional<ResolvedRobot> resolve(const FleetPlan& plan, const FleetRobot& robot,
                                     RobotSetups& setups, LogDigests& digests, bool reads,
                                     const Progress& progress);

/// Returns the name under which the store records why a robot has no answer.
std::string failure_name_of(const FleetRobot& robot);

/// Removes training logs without a leaf.
void keep_leaves(ResolvedRobot& robot, const std::vector<bool>& is_there);

}  // namespace heft
