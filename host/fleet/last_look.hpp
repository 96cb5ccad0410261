// What the last run saw of robots that were done, by everything that decides about them. Of a robot of which nothing has changed, no
// note of a log is read and no key made again: most robots of most nights. A robot that is not in it is looked at; nothing else
// depends on it.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "heft/fleet/plan.hpp"
#include "robot_setup.hpp"
#include "store.hpp"

namespace heft {

/// Where a robot's pieces are.
struct RobotPieces {
  std::string answer_key;
  std::vector<std::string> leaf_keys;
};

class LastLook {
 public:
  /// Of DIR/looks; empty if it is not there, or not as it was written.
  static LastLook read(const FleetStore& store);
  /// Over what was there; what cannot be written is lost.
  void write(const FleetStore& store) const;

  void add(const std::string& sight, RobotPieces pieces) { looks_[sight] = std::move(pieces); }
  /// Null if nobody has seen such a robot.
  const RobotPieces* of(const std::string& sight) const;

 private:
  std::unordered_map<std::string, RobotPieces> looks_;  // by sight_of()
};

/// SHA-256 of the robot's rows, of size, inode and time stamp of its logs, of its file and of all options. Taken before its logs are
/// known by their bytes, it never stands for newer ones. None if a log cannot be looked at.
std::optional<std::string> sight_of(const FleetRobot& robot, const FleetPlan& plan, const RobotSetup& setup,
                                    const std::vector<std::string>& accepted);

}  // namespace heft
