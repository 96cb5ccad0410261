// What the last run saw of robots that were done, by everything that decides about them. Of a robot
// of which nothing has changed, no note of a log is read and no key made again: most robots of most
// incremental runs. Who is not in it is looked at; it may be deleted.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "fleet/run.hpp"
#include "robot_setup.hpp"
#include "store.hpp"

namespace heft {

/// Where a robot's pieces are, and what its results were.
struct RobotPieces {
  std::string answer_key;
  std::vector<std::string> leaf_keys;
  std::vector<std::string> note_keys;      ///< of the digests of its logs, which others go by
  std::vector<std::string> result_stamps;  ///< stamps_of_results()
};

class LastLook {
 public:
  /// Of DIR/looks; empty if it is not there, or not as it was written.
  static LastLook read(const FleetStore& store);
  /// Over what was there; what cannot be written is lost.
  void write(const FleetStore& store) const;

  void add(const std::string& fingerprint, RobotPieces pieces) {
    looks_[fingerprint] = std::move(pieces);
  }
  /// Null if no run has seen such a robot.
  const RobotPieces* of(const std::string& fingerprint) const;

 private:
  std::map<std::string, RobotPieces> looks_;  // by fingerprint_of()
};

/// SHA-256 of the robot's rows, of the stamps of its logs, of its file and of all options.
/// `stamp_of` gives text_of() the stamp of a row's log, by the row's place in the manifest; empty
/// if that is not known: then the fingerprint is empty, too.
std::string fingerprint_of(const FleetRobot& robot, const FleetPlan& plan, const RobotSetup& setup,
                           const FleetOptions& options,
                           const std::function<std::string(std::size_t row)>& stamp_of);

}  // namespace heft
