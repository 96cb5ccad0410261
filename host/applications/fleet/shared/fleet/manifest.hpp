// A fleet on paper: which log is of which robot. One row per robot and log, CSV or JSON lines:
//
//   robot_id,robot,log,format,config,role,sha256,start_s,end_s,recorded
//
// The last five columns may be missing, and their fields empty; so may fields of format and config.
// Paths are relative to the manifest's folder. A row that makes no sense is a fault with its line;
// the others stand. Threads: any number of threads may call, each with objects of its own; what is
// const may be shared.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "heft/base/result.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct FleetRow {
  std::string robot_id;  ///< any text; results lie in results/ under a name made of it
  std::string robot;     ///< path of the robot's file
  std::string log;       ///< path
  std::string format;  ///< csv, npy, .. (log_formats), checked against the file; empty: whatever it
                       ///< is
  std::string config;  ///< path of a configuration; empty: that of the run
  bool validates = false;  ///< held out: judges the answer and does not make it
  std::string sha256;      ///< of the log, lower case; empty: not stated
  /// Rows from this stamp of the log to `end_s`, both included.
  double start_s = -std::numeric_limits<double>::infinity();
  double end_s = std::numeric_limits<double>::infinity();
  std::string recorded;  ///< when, as ISO 8601: 2026-11-22 or 2026-11-22T06:00:00Z
  long line = 0;         ///< of the manifest

  bool has_window() const {
    return start_s > -std::numeric_limits<double>::infinity() ||
           end_s < std::numeric_limits<double>::infinity();
  }
};

/// A row that cannot be used.
struct RowFault {
  std::string robot_id;  ///< empty if the row does not say
  Error error;           ///< where: manifest:line
};

struct Manifest {
  std::string path;
  std::vector<FleetRow> rows;  ///< in the order of the file
  std::vector<RowFault> faults;
};

/// Reads it; the name decides: .jsonl and .ndjson are JSON lines, all else is CSV. Errors, of the
/// whole file: unreadable, no UTF-8, a header without the first three columns or with an unknown
/// one, no row at all.
Result<Manifest> read_manifest(const std::string& path);

/// As read_manifest reads it back; paths relative to the folder of `path` where they lie below it.
/// CSV, or JSON lines if the name says so; written whole or not at all.
Result<Done> write_manifest(const std::vector<FleetRow>& rows, const std::string& path);

/// Rows for logs found on a disk. A robot's logs lie in one folder, which gives it its id; its
/// robot file is the only URDF there, or in the nearest folder above; its configuration likewise,
/// if there is one. Logs whose name has held_out, validate, validation or test in it validate.
/// `paths`: what globs found, or folders, which are searched. Errors: nothing found, a log without
/// a robot file, several to choose from.
Result<std::vector<FleetRow>> propose_manifest(const std::vector<std::string>& paths);

}  // namespace heft
#pragma GCC visibility pop
