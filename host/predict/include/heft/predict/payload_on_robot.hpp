// What a robot carries, by the torques of its joints: the robot was identified before, without the payload.
// Threads: any number of threads may call, each with objects of its own; what is const may be shared. Calls make threads of
// their own (the identification's backend).
#pragma once

#include <string>
#include <vector>

#include "heft/base/progress.hpp"
#include "heft/payload/payload.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct PayloadOnRobot {
  std::string model;              ///< output directory of heft identify, or its result.json
  std::string link;               ///< that carries the payload; any that moves
  std::vector<std::string> logs;  ///< of the loaded robot, with the columns of the identification's logs
  PayloadOptions options;
  PayloadShape shape;  ///< in the link's frame
  std::vector<PayloadMethod> methods = {PayloadMethod::automatic};
  Progress progress = {};
};

/// Conditions the logs as the identification did, and weighs (heft/payload/by_torques.hpp). Errors: those of reading the model and
/// of condition_log, a link that the robot does not have or that does not move, those of weigh_by_torques; stopped().
Result<PayloadResult> weigh_on_robot(const PayloadOnRobot& request);

}  // namespace heft
#pragma GCC visibility pop
