// A robot of the plan once its logs are known by their bytes: doubles gone, keys of all its pieces.
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
  std::shared_ptr<const RobotSetup> setup;  ///< null: it cannot be made, see errors
  AnswerInput input;
  std::vector<std::string> training_digests, validation_digests;  ///< of the logs, as in input
  std::vector<Error> errors;                                      ///< besides those of the plan
  std::vector<std::string> notes;                                 ///< besides those of the plan
  bool is_known = true;                                           ///< all digests are
  bool has_answer = true;  ///< false: nothing can be identified

  std::string answer_key() const { return input.key(*setup); }
};

/// Whether the leaves of a robot are made.
struct LeafCheck {
  bool is_mapped = true;        ///< every leaf is there, or has failed
  std::vector<Error> failures;  ///< of those that have
};

/// Leaves out the training logs without a leaf. `made`: those that are there before the store has
/// them.
LeafCheck keep_leaves_that_are_there(ResolvedRobot& robot, const FleetStore& store,
                                     const MadeLeaves& made = {});

/// Reads nothing of logs whose digests are not known unless `reads`. Errors of the robot are in it;
/// stopped() gives none.
std::optional<ResolvedRobot> resolve(const FleetPlan& plan, const FleetRobot& robot,
                                     RobotSetups& setups, LogDigests& digests, bool reads,
                                     const Progress& progress);

/// By which name the store keeps why a robot has no answer.
std::string failure_name_of(const FleetRobot& robot);

/// Leaves out the training logs without a leaf.
void keep_leaves(ResolvedRobot& robot, const std::vector<bool>& is_there);

}  // namespace heft
