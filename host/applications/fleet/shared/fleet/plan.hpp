// A fleet as work: its robots, each with its logs, and what speaks against some of them before any
// is read. Threads: plain values: share them for reading; a thread that changes one must own it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fleet/manifest.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct FleetRobot {
  std::string id;
  std::string folder;                             ///< of its results, below results/ of the store
  std::string robot;                              ///< path of its file
  std::string config;                             ///< path; may be empty
  std::vector<std::size_t> training, validation;  ///< places in Manifest::rows
  std::string recorded;                           ///< the latest of its rows
  double num_bytes = 0;                           ///< of its logs, each row counted
  double newest_s = 0;             ///< when the last of them was written, in seconds since 1970
  std::vector<Error> errors;       ///< why it fails; rows that fail leave an answer from the others
  bool has_answer = true;          ///< false: nothing can be identified
  std::vector<std::string> notes;  ///< what to know, and no fault
};

/// What a file was, but for its bytes.
struct FileStamp {
  std::int64_t size = 0;
  std::uint64_t inode = 0;
  std::int64_t modified_s = 0,
               modified_ns = 0;  ///< since 1970: whole seconds, and what comes on top
};

struct FleetPlan {
  Manifest manifest;
  std::vector<FileStamp> stamps;   ///< of the log of every row; of size 0 where it cannot be used
  std::vector<FleetRobot> robots;  ///< by id, whatever the order of the rows
  std::vector<Error> errors;       ///< of no robot
  std::int64_t num_bytes = 0;      ///< of all logs, each row counted
};

/// Sorts rows by robot. Faults of a robot, at the line of the manifest: two robot files or
/// configurations for one id, no training log, a log or a file that is not there or empty, one log
/// to train and to validate (by path or stated digest, where their stretches overlap), a date in
/// the future, rows that have faults of their own. Ids that a file system may take for one another
/// get folders that differ.
FleetPlan plan_fleet(Manifest manifest);

}  // namespace heft
#pragma GCC visibility pop
