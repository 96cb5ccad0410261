// Weighs a robot's payload by the torques of its joints, with a robot that was identified without
// the payload. Threads: safe to call from several threads on separate objects; const objects may be
// shared. Calls create their own threads (the identification's backend).
#pragma once

#include <memory>
#include <string>

#include "heft/payload/payload.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// An identified robot and the link that carries payloads, read once for any number of payloads.
class CarryingRobot {
 public:
  /// Reads the robot. `model` is the output directory of heft identify, or its result.json. Errors:
  /// those of reading it; a link that the robot does not have or does not move.
  static Result<CarryingRobot> read(const std::string& model, const std::string& link);

  const std::string& link() const;

 private:
  struct State;
  explicit CarryingRobot(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  friend Result<PayloadResult> weigh_on_robot(const CarryingRobot& robot,
                                              const PayloadRequest& request, int threads);

  std::shared_ptr<const State> state_;
};

/// Weighs a payload (payload/by_torques.hpp) from logs of the loaded robot, which must have the
/// columns of the identification's logs and are conditioned in the same way; with
/// PayloadOptions::changes, one body per stretch. Shape and result are in the link's frame.
/// `threads` 0: as many as the identification used. Errors: a sensor on a link, those of
/// condition_log and weigh_by_torques; stopped().
Result<PayloadResult> weigh_on_robot(const CarryingRobot& robot, const PayloadRequest& request,
                                     int threads = 0);

}  // namespace heft
#pragma GCC visibility pop
