// The manifest of a fleet: which log belongs to which robot. One row per robot and log, CSV or JSON
// lines:
//
//   robot_id,robot,log,format,config,role,sha256,start_s,end_s,recorded
//
// The last five columns may be missing, and their fields empty; fields of format and config may
// also be empty. Paths are relative to the manifest's folder. An invalid row is a fault with its
// line; the other rows are used. Threads: safe to call from several threads on separate objects;
// const objects may be shared.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "heft/base/result.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// One row of a manifest.
struct FleetRow {
  std::string robot_id;  ///< any text; the name of the folder in results/ is derived from it
  std::string robot;     ///< path of the robot's file
  std::string log;       ///< path
  std::string format;    ///< csv, npy, .. (log_formats), compared with the file; empty: any format
  std::string config;    ///< path of a configuration; empty: that of the run
  bool validates = false;  ///< held out: used for validation, not for training
  std::string sha256;      ///< of the log, lower case; empty: not given
  /// Range of the log's stamps, both included.
  double start_s = -std::numeric_limits<double>::infinity();
  double end_s = std::numeric_limits<double>::infinity();
  std::string recorded;  ///< time in ISO 8601: 2026-11-22 or 2026-11-22T06:00:00Z
  long line = 0;         ///< in the manifest

  bool has_window() const {
    return start_s > -std::numeric_limits<double>::infinity() ||
           end_s < std::numeric_limits<double>::infinity();
  }
};

/// A row that cannot be used.
struct RowFault {
  std::string robot_id;  ///< empty if the row does not contain it
  Error error;           ///< where: manifest:line
};

/// A parsed manifest.
struct Manifest {
  std::string path;
  std::vector<FleetRow> rows;  ///< in the order of the file
  std::vector<RowFault> faults;
};

/// Reads a manifest. The name determines the format: .jsonl and .ndjson are JSON lines, all others
/// CSV. Errors, about the whole file: unreadable, not UTF-8, a header without the first three
/// columns or with an unknown one, no rows.
Result<Manifest> read_manifest(const std::string& path);

/// Writes rows in the form that read_manifest reads; paths below the folder of `path` become
/// relative to it. CSV, or JSON lines if the name requires it; written completely or not at all.
Result<Done> write_manifest(const std::vector<FleetRow>& rows, const std::string& path);

/// Proposes rows for logs found on a disk. The folder of a robot's logs is its id; its robot file
/// is the only URDF in that folder or the nearest one above; so is its configuration, if there is
/// one. Logs with held_out, validate, validation or test in their names are used for validation.
/// `paths` are files, for example from globs, or folders, which are searched. Errors: nothing
/// found, a log without a robot file, several candidates.
Result<std::vector<FleetRow>> propose_manifest(const std::vector<std::string>& paths);

}  // namespace heft
#pragma GCC visibility pop
