// What a robot carries, by the torques of its joints: the robot was identified before, without the
// payload. Threads: any number of threads may call, each with objects of its own; what is const may
// be shared. Calls make threads of their own (the identification's backend).
#pragma once

#include <memory>
#include <string>

#include "heft/payload/payload.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// An identified robot and the link on it that carries payloads: read once, for any number of them.
class CarryingRobot {
 public:
  /// `model`: output directory of heft identify, or its result.json. Errors: those of reading it; a
  /// link that the robot does not have or does not move.
  static Result<CarryingRobot> read(const std::string& model, const std::string& link);

  const std::string& link() const;

 private:
  struct State;
  explicit CarryingRobot(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  friend Result<PayloadResult> weigh_on_robot(const CarryingRobot& robot,
                                              const PayloadRequest& request, int threads);

  std::shared_ptr<const State> state_;
};

/// Conditions logs of the loaded robot, which have the columns of the identification's, as the
/// identification did, and weighs (payload/by_torques.hpp); with PayloadOptions::changes one
/// body a stretch. Shape and result are in the link's frame. `threads`: 0: as many as the
/// identification had. Errors: a sensor on a link, those of condition_log and weigh_by_torques;
/// stopped().
Result<PayloadResult> weigh_on_robot(const CarryingRobot& robot, const PayloadRequest& request,
                                     int threads = 0);

}  // namespace heft
#pragma GCC visibility pop
