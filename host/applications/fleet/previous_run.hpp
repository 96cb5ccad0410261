// State of completed robots at the end of the previous run, keyed by everything that determines
// their results. Unchanged robots, which are most robots in an incremental run, skip reading their
// notes and computing their keys. Robots that are not listed are checked in full; the file may be
// deleted.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "fleet/run.hpp"
#include "robot_setup.hpp"
#include "store.hpp"

namespace heft {

/// Keys of a robot's pieces, and the stamps of its results.
struct RobotPieces {
  std::string answer_key;
  std::vector<std::string> leaf_keys;
  std::vector<std::string> note_keys;      ///< for the digests of its logs; other code uses them
  std::vector<std::string> result_stamps;  ///< stamps_of_results()
};

class LastLook {
 public:
  /// Reads DIR/looks; empty if it is missing or damaged.
  static LastLook read(const FleetStore& store);
  /// Replaces the previous file; ignores write errors.
  void write(const FleetStore& store) const;

  void add(const std::string& fingerprint, RobotPieces pieces) {
    looks_[fingerprint] = std::move(pieces);
  }
  /// Returns null if no previous run completed such a robot.
  const RobotPieces* of(const std::string& fingerprint) const;

 private:
  std::map<std::string, RobotPieces> looks_;  // by fingerprint_of()
};

/// Returns the SHA-256 of the robot's rows, the stamps of its logs, its file and all options.
/// `stamp_of` returns text_of() of the stamp of a row's log, by index into the manifest. If any
/// stamp is unknown (empty), the fingerprint is empty.
std::string fingerprint_of(const FleetRobot& robot, const FleetPlan& plan, const RobotSetup& setup,
                           const FleetOptions& options,
                           const std::function<std::string(std::size_t row)>& stamp_of);

}  // namespace heft
