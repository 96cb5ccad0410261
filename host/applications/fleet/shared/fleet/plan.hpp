// The work of a fleet: its robots with their logs, and faults that are known before any log is
// read. Threads: plain values; concurrent reads are safe, a writer needs exclusive access.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fleet/manifest.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// One robot of a fleet.
struct FleetRobot {
  std::string id;
  std::string folder;  ///< folder of its results, below results/ of the store
  std::string robot;   ///< path of the robot file
  std::string config;  ///< path; may be empty
  std::vector<std::size_t> training, validation;  ///< indices into Manifest::rows
  std::string recorded;                           ///< the latest of its rows
  double num_bytes = 0;                           ///< of its logs, counted per row
  double newest_s = 0;             ///< time of the last change of a log [s since 1970]
  std::vector<Error> errors;       ///< faults; rows without faults may still give a result
  bool has_answer = true;          ///< false: nothing can be identified
  std::vector<std::string> notes;  ///< information that is not a fault
};

/// Metadata by which changes of a file are detected.
struct FileStamp {
  std::int64_t size = 0;
  std::uint64_t inode = 0;
  std::int64_t modified_s = 0,
               modified_ns = 0;  ///< since 1970: whole seconds and additional nanoseconds
};

/// A fleet sorted by robot.
struct FleetPlan {
  Manifest manifest;
  std::vector<FileStamp> stamps;   ///< of every row's log; size 0 if it cannot be used
  std::vector<FleetRobot> robots;  ///< by id, independent of the order of rows
  std::vector<Error> errors;       ///< faults that belong to no robot
  std::int64_t num_bytes = 0;      ///< of all logs, counted per row
};

/// Groups rows by robot. Faults of a robot, at the line of the manifest: two robot files or
/// configurations for one id, no training log, a log or file that is missing or empty, one log used
/// for both training and validation (by path or given digest, if their stretches overlap), a date
/// in the future, faults of its rows. Ids that a file system may not distinguish get different
/// folders.
FleetPlan plan_fleet(Manifest manifest);

}  // namespace heft
#pragma GCC visibility pop
